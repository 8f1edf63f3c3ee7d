import Glibc
internal import URLLoadingCCurl
internal import URLLoadingCLinux

/// The pair of sockets by which a multi handle of libcurl can be woken. libcurl 7.88 has no call that names it, and children of the
/// process would inherit it.
enum WakeupPair {
  /// How far above the lowest free descriptor the pair is looked for: other threads may open some in the same moment.
  private static let reach: Int32 = 32

  /// Makes a multi handle whose pair is closed in children, if it is found.
  static func makeMulti() -> UnsafeMutableRawPointer? {
    let lowest = eventfd(0, Int32(EFD_CLOEXEC))
    if lowest >= 0 { close(lowest) }
    guard let multi = curl_multi_init() else { return nil }
    if lowest >= 0 { closeOnExec(multi, from: lowest) }
    return multi
  }

  /// Why there is no multi handle.
  static var shortage: TransferFailure.Reason {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) != 0 else {
      for descriptor in ends { close(descriptor) }
      return .outOfMemory
    }
    return .unavailable("no connections can be made", error: errno)
  }

  /// The ends of the pair are the sockets through which a byte is on its way when the handle is woken, and none when it has noticed.
  private static func closeOnExec(_ multi: UnsafeMutableRawPointer, from lowest: Int32) {
    var ends = (lowest..<(lowest + reach)).filter {
      is_inherited_local_socket($0) != 0 && has_bytes_on_their_way($0) == 0
    }
    // More than once, since others use their sockets meanwhile.
    for _ in 0..<3 {
      guard ends.count >= 2, curl_multi_wakeup(multi) == CURLM_OK else { return }
      ends.removeAll { has_bytes_on_their_way($0) == 0 }
      curl_multi_poll(multi, nil, 0, 0, nil)
      ends.removeAll { has_bytes_on_their_way($0) != 0 }
    }
    guard ends.count == 2 else { return }
    for descriptor in ends { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
  }
}
