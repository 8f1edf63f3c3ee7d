import URLLoadingCurlTransport

/// What the libcurl of this process tells, where versions differ.
enum LibcurlFacts {
  /// A connection of HTTP/2 on which the server has broken the rules is told from one whose streams have ended.
  static let tellsBrokenConnections = !version.lexicographicallyPrecedes([8, 1])
  /// The answer to an upload over HTTP/2 is kept if RST_STREAM comes in the same piece.
  static let keepsEarlyAnswers = !version.lexicographicallyPrecedes([8, 1])
  /// The log tells of each stream that a server refuses. 8.14 does not; seen with 8.21 and 8.23.
  static let tellsEveryRefusal = !version.lexicographicallyPrecedes([8, 21])
  /// A read that meets the end of an upgraded connection while receiving is paused ends sending. Seen with 8.14, not with 7.88 and 8.21; what
  /// reads then came with 8.10.
  static let stopsSendingAtAnEndWhilePaused =
    !version.lexicographicallyPrecedes([8, 10]) && version.lexicographicallyPrecedes([8, 21])

  private static let version: [Int] = {
    let name = TransferLibrary.description.split(separator: " ").first ?? ""
    return name.dropFirst("libcurl/".count).split(separator: ".").map { Int($0.prefix { $0.isNumber }) ?? 0 }
  }()
}
