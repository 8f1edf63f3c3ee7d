internal import URLLoadingCurlTransport

/// Listing a directory: the server's lines are parsed into entries, on the transfer loop.
extension FTPProtocol {
  /// CURLE_FTP_COULDNT_RETR_FILE: the command itself was refused, not the login or the way to the directory.
  private static let commandRefused = 19

  /// The reply of some servers, which libcurl takes for an empty listing: nothing matches, or the directory is not available.
  private static let unavailable = 450

  func respondToListing(_ head: TransferHead) {
    guard let url = request.url else { return }
    // To LIST it says that nothing is there, in servers of the time before MLSD.
    let isText = state.withLock { if case .listing(.text) = $0.stage { true } else { false } }
    guard head.statusCode != Self.unavailable || isText else {
      return failListing(
        URLError(
          .resourceUnavailable,
          message: "The server refused to list \(url.redactedDescription) now (reply \(Self.unavailable)).", url: url))
    }
    respondToListing(of: url)
  }

  private func respondToListing(of url: URL) {
    client?.urlProtocol(
      self, didReceive: URLResponse(url: url, mimeType: nil, expectedContentLength: -1, textEncodingName: nil),
      cacheStoragePolicy: .notAllowed)
  }

  func list(_ bytes: UnsafeRawBufferPointer, of transfer: Transfer) {
    guard let piece = state.withLock({ $0.listing?.receive(bytes) }) else { return }
    if !tell(piece) { transfer.cancel() }
  }

  /// The transfer succeeded.
  func listingEnded(_ metrics: TransferMetrics) {
    guard let piece = state.withLock({ $0.listing?.finish() }), tell(piece) else { return }
    state.withLock { $0.listing = nil }
    collect(metrics)
    client?.urlProtocolDidFinishLoading(self)
  }

  func listingFailed(_ failure: TransferFailure) {
    let path = request.url?.path(percentEncoded: true) ?? ""
    switch state.withLock({ $0.stage }) {
    case .listing(.facts) where isUnknownCommand(failure): start(.listing(.text))
    case .listing where saysEmpty(failure):
      state.withLock { $0.listing = nil }
      if let url = request.url { respondToListing(of: url) }
      collect(failure.metrics)
      client?.urlProtocolDidFinishLoading(self)
    case .listing where failure.urlErrorCode == .fileDoesNotExist && path.contains { $0 != "/" }:
      // Servers have one reply for what is not there and for what is no directory.
      start(.file(failure))
    default: tell(failure)
    }
  }

  /// The server does not know the command, or its form (RFC 959, section 4.2.2).
  func isUnknownCommand(_ failure: TransferFailure) -> Bool {
    failure.curlCode == Self.commandRefused && [500, 501, 502, 504].contains(failure.ftpReplyCode)
  }

  /// Some servers refuse to list a directory that is empty, such as with "550 No files found"; that it exists they have said before.
  private func saysEmpty(_ failure: TransferFailure) -> Bool {
    guard failure.curlCode == Self.commandRefused, failure.ftpReplyCode == 550 else { return false }
    let words = failure.message.lowercased()
    return ["no files", "no members found", "no data sets found"].contains { words.contains($0) }
  }

  /// What could not be listed was looked for as a file. A server that knows neither size nor date would not have said no.
  func tell(_ failure: TransferFailure, isFile: Bool) {
    let head = state.withLock { $0.probed }
    guard isFile, head?.resourceLength != nil || head?.lastModified != nil else { return tell(failure) }
    collect(failure.metrics)
    fail(.notDirectory(request.url))
  }

  /// - Returns: whether the listing continues.
  private func tell(_ piece: FTPListing.Piece) -> Bool {
    if !piece.entries.isEmpty { sessionClient?.urlProtocol(self, didList: piece.entries) }
    guard let reason = piece.failureReason else { return true }
    let directory = request.url?.redactedDescription ?? "the directory"
    failListing(
      URLError(
        .cannotParseResponse, message: "The server's listing of \(directory) is not usable: \(reason).",
        url: request.url)
    )
    return false
  }

  private func failListing(_ error: URLError) {
    state.withLock { $0.listing = nil }
    fail(error)
  }
}
