import Glibc
import URLLoading

/// An address for a TCP connection.
struct SocketAddress: Sendable {
  let family: Int32
  private let bytes: [UInt8]

  init(_ information: addrinfo) {
    family = information.ai_family
    bytes = Array(UnsafeRawBufferPointer(start: information.ai_addr, count: Int(information.ai_addrlen)))
  }

  /// The local address of a connection; nil where there is none.
  init?(localEndOf descriptor: Int32) {
    var storage = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let result = withUnsafeMutablePointer(to: &storage) { storage in
      storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
    }
    guard result == 0 else { return nil }
    family = Int32(storage.ss_family)
    bytes = withUnsafeBytes(of: &storage) { Array($0.prefix(Int(size))) }
  }

  /// The port; nil where the family has none. IPv4 and IPv6 have it in the same place.
  var port: UInt16? {
    guard family == AF_INET || family == AF_INET6, bytes.count >= 4 else { return nil }
    return UInt16(bytes[2]) << 8 | UInt16(bytes[3])
  }

  /// The address in digits.
  var text: String {
    var name = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    let result = withPointer { getnameinfo($0, $1, &name, socklen_t(name.count), nil, 0, NI_NUMERICHOST) }
    return result == 0 ? String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self) : "?"
  }

  func withPointer<Result>(_ body: (UnsafePointer<sockaddr>?, socklen_t) -> Result) -> Result {
    bytes.withUnsafeBytes { body($0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count)) }
  }

  /// Why a name has no addresses.
  struct LookUpFailure: Error, Sendable {
    /// The end of a sentence.
    let reason: String
    /// No name service could be reached, or it could not say: `EAI_AGAIN` of getaddrinfo(3).
    var lacksService = false
  }

  /// The addresses of several names, each as below: all of those that have some, in order.
  static func lookUp(
    _ hosts: [String], port: UInt16, _ family: NetworkSettings.AddressFamily, numericOnly: Bool
  ) -> Result<[SocketAddress], LookUpFailure> {
    var addresses: [SocketAddress] = []
    var failure = LookUpFailure(reason: "it has no address")
    for host in hosts {
      switch lookUp(host, port: port, family, numericOnly: numericOnly) {
      case .success(let found): addresses += found
      case .failure(let reason): failure = reason
      }
    }
    return addresses.isEmpty ? .failure(failure) : .success(addresses)
  }

  /// The addresses of a name, alternating between families (RFC 8305, section 4). Blocks unless the name is an address, or `numericOnly`
  /// is set.
  static func lookUp(
    _ host: String, port: UInt16, _ family: NetworkSettings.AddressFamily = .any, numericOnly: Bool
  ) -> Result<[SocketAddress], LookUpFailure> {
    var hints = addrinfo()
    hints.ai_family =
      switch family {
      case .any: AF_UNSPEC
      case .ipv4: AF_INET
      case .ipv6: AF_INET6
      }
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_NUMERICSERV | (numericOnly ? AI_NUMERICHOST : 0)
    var list: UnsafeMutablePointer<addrinfo>?
    let result = getaddrinfo(host, String(port), &hints, &list)
    guard result == 0 else {
      return .failure(LookUpFailure(reason: String(cString: gai_strerror(result)), lacksService: result == EAI_AGAIN))
    }
    defer { freeaddrinfo(list) }
    var addresses: [SocketAddress] = []
    var next = list
    while let entry = next, addresses.count < 64 {
      if entry.pointee.ai_addr != nil { addresses.append(SocketAddress(entry.pointee)) }
      next = entry.pointee.ai_next
    }
    guard let first = addresses.first else { return .failure(LookUpFailure(reason: "it has no address")) }
    let same = addresses.filter { $0.family == first.family }
    let other = addresses.filter { $0.family != first.family }
    return .success(
      (0..<max(same.count, other.count)).flatMap { index in
        [same, other].compactMap { index < $0.count ? $0[index] : nil }
      })
  }
}
