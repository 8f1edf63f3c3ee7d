/// The address of a socket in a folder that is open: paths of local sockets have 107 bytes at most, and folders of users may be deeper.
package struct LocalSocketAddress {
  private var address = sockaddr_un()

  /// - Parameters:
  ///   - directory: the folder's descriptor.
  ///   - name: the socket's name.
  package init(directory: Int32, name: String) {
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { path in
      for (index, byte) in "/proc/self/fd/\(directory)/\(name)".utf8.prefix(path.count - 1).enumerated() {
        path[index] = byte
      }
    }
  }

  /// - Returns: 0, or the error's number.
  package func connect(_ descriptor: Int32) -> Int32 {
    withAddress { address, size in Glibc.connect(descriptor, address, size) == 0 ? 0 : errno }
  }

  /// - Returns: 0, or the error's number.
  package func bind(_ descriptor: Int32) -> Int32 {
    withAddress { address, size in Glibc.bind(descriptor, address, size) == 0 ? 0 : errno }
  }

  private func withAddress(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    withUnsafePointer(to: address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
  }
}
