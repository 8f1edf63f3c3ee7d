internal import URLLoadingBase

/// Collects the bytes of a script, and no more of them than a script may have.
///
/// Mutable state: `state`, guarded by its lock.
final class PACFileReceiver: NSObject, URLSessionDataDelegate, Sendable {
  private struct State: Sendable {
    var body = Data()
    var refusal: PACFailure?
  }

  private let state = Locked(State())
  private let take: @Sendable (PACFile.Outcome) -> Void

  init(_ take: @escaping @Sendable (PACFile.Outcome) -> Void) {
    self.take = take
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    let status = (response as? HTTPURLResponse)?.statusCode ?? 200
    let refusal: PACFailure? =
      if !(200...299).contains(status) {
        .notLoaded("The server answered with status \(status).")
      } else if response.expectedContentLength > PACHelperProtocol.scriptLimit {
        Self.tooLong
      } else {
        nil
      }
    state.withLock { $0.refusal = refusal }
    completionHandler(refusal == nil ? .allow : .cancel)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    let isTooLong = state.withLock { state in
      if state.body.count + data.count > PACHelperProtocol.scriptLimit { state.refusal = Self.tooLong }
      if state.refusal == nil { state.body.append(data) }
      return state.refusal != nil
    }
    if isTooLong { dataTask.cancel() }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    let (body, refusal) = state.withLock { ($0.body, $0.refusal) }
    if let refusal { return take(.failure(PACFileFailure(failure: refusal))) }
    if let error {
      let cause = error as? URLError
      let words = error.localizedDescription
      return take(.failure(PACFileFailure(failure: .notLoaded(words), cause: cause)))
    }
    // The format is older than UTF-8; what is not UTF-8 is taken for Latin-1, as in other programs.
    var script = String(data: body, encoding: .utf8) ?? String(data: body, encoding: .isoLatin1) ?? ""
    if script.first == "\u{feff}" { script.removeFirst() }
    guard script.utf8.count <= PACHelperProtocol.scriptLimit else {
      return take(.failure(PACFileFailure(failure: Self.tooLong)))
    }
    take(.success(script))
  }

  private static let tooLong = PACFailure.unusable("it is longer than 1 MiB")
}
