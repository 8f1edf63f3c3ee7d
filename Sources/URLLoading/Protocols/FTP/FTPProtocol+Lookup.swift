internal import URLLoadingCurlTransport

/// Ranges of a file whose size the server does not tell.
///
/// An open one, such as `bytes=100-`, needs the size. A listing of the folder has one, which is approximate by the standard (RFC 3659, section
/// 7.7.1). It counts if the server then begins at the last byte by it, and sends that byte alone. Whatever goes wrong, or takes too long, the
/// whole file comes.
extension FTPProtocol {
  /// How long each transfer may take that is to find out the size. It must not make the load time out, which can do without.
  func lookupLimit(in session: URLSession) -> Duration {
    let longest = Duration.seconds(10)
    let own = request.explicitTimeoutInterval.flatMap { $0 > 0 ? Duration(timeout: $0) : nil }
    guard let timeout = own ?? session.idleLimit else { return longest }
    return min(timeout / 2, longest)
  }

  /// What is loaded where the server does not tell the size.
  var stageWithoutLength: Stage {
    // Without a size the validators are weaker than those that a condition was made of.
    guard request.httpMethod == "GET", request.value(forHTTPHeaderField: "If-Range") == nil,
      let field = request.value(forHTTPHeaderField: "Range"), let range = ByteRange(fieldValue: field)
    else { return .body(nil) }
    switch range {
    case .positions(let first, let last):
      return .body(ContentRange(firstByte: first, lastByte: last, completeLength: nil))
    case .from(0): return .body(nil)
    case .from, .suffix: return .lookup(.facts)
    }
  }

  /// Bytes of the listing.
  func lookUp(_ bytes: UnsafeRawBufferPointer, of transfer: Transfer) {
    let lookup = state.withLock { state -> FTPSizeLookup? in
      state.lookup?.receive(bytes)
      guard let lookup = state.lookup, lookup.isOver else { return nil }
      state.lookup = nil
      state.abandoned = transfer
      return lookup
    }
    guard let lookup else { return }
    transfer.cancel()
    confirm(lookup.length)
  }

  /// The listing's transfer has ended.
  func lookupEnded(_ result: Result<TransferMetrics, TransferFailure>) {
    let (stage, lookup) = state.withLock { state in
      defer { state.lookup = nil }
      return (state.stage, state.lookup)
    }
    switch result {
    case .success:
      var lookup = lookup
      lookup?.finish()
      confirm(lookup?.length)
    case .failure(let failure):
      if case .lookup(.facts) = stage, isUnknownCommand(failure) { return start(.lookup(.text)) }
      confirm(nil)
    }
  }

  private func confirm(_ length: Int64?) {
    start(length.map { .confirmation(ofLength: $0) } ?? .body(nil))
  }

  /// The last byte was asked for.
  func confirmationEnded(ofLength length: Int64, _ result: Result<TransferMetrics, TransferFailure>) {
    switch result {
    case .success: choose(ofLength: length, ResourceValidators())
    case .failure: start(.body(nil))
    }
  }
}
