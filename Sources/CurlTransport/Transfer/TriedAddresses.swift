import Glibc
internal import URLLoadingBase

/// The addresses that a transfer tried to connect to: whether it failed because this machine has a route to none of them.
///
/// Of several attempts libcurl tells one error. After a server that refused on one address, another one without a route may be the last.
struct TriedAddresses {
  private var last = sockaddr_storage()
  private var lastLength: socklen_t = 0
  /// One before the last has a route, or had one when the next was tried.
  private var isRouted = false

  /// A socket is opened to connect to an address. The one before has failed, or is slow.
  mutating func begin(_ address: UnsafeRawPointer, length: Int) {
    if lastLength > 0, !isRouted { isRouted = withLast { Route.exists(to: $0, length: lastLength) } }
    let count = min(length, MemoryLayout<sockaddr_storage>.size)
    withUnsafeMutableBytes(of: &last) { $0.copyMemory(from: UnsafeRawBufferPointer(start: address, count: count)) }
    lastLength = socklen_t(count)
  }

  /// Whether none has a route.
  /// - Parameter error: `errno` of the last attempt.
  func lackRoute(_ error: Int32) -> Bool {
    guard lastLength > 0, !isRouted else { return false }
    return withLast { Route.isMissing(error, to: $0, length: lastLength) }
  }

  private func withLast<Result>(_ body: (UnsafePointer<sockaddr>) -> Result) -> Result {
    withUnsafePointer(to: last) { storage in
      storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0) }
    }
  }
}
