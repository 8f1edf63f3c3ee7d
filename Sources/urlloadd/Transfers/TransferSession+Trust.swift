import Foundation
import URLLoading
internal import URLLoadingBase

/// Servers that are not trusted by their certificates.
extension TransferSession {
  /// More servers that were accepted, and more origins, are forgotten, and asked about again.
  private static let mostKept = 256

  /// Whether a transfer failed because its server is not trusted.
  static func isAboutTrust(_ error: any Error) -> Bool {
    let error = error as NSError
    guard error.domain == NSURLErrorDomain else { return false }
    return switch URLError.Code(rawValue: error.code) {
    case .serverCertificateUntrusted, .serverCertificateHasBadDate, .serverCertificateHasUnknownRoot,
      .serverCertificateNotYetValid:
      true
    default: false
    }
  }

  /// Has the program decide about a server that is not trusted, once for what it shows.
  func ask(
    about trust: SecTrust, _ space: URLProtectionSpace, _ number: Int,
    _ take: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    // One that is trusted is nobody's question.
    guard let shown = BackgroundServerTrust(space) else { return take(.performDefaultHandling, nil) }
    if state.withLock({ $0.accepted.contains(shown) }) { return take(.useCredential, URLCredential(trust: trust)) }
    let question = BackgroundQuestion.challenge(
      space: BackgroundValues.data(of: space), proposed: nil, failures: 0, response: nil, trust: shown)
    loop.post { [self] service in
      // A program that is not to be asked may have attached since this session was made.
      guard let job = service.queue.jobs[number],
        service.sessions[job.session]?.description.asksAboutServers == true
      else { return take(.performDefaultHandling, nil) }
      service.asked(number, question) { answer in
        switch answer {
        case .trustsServer:
          self.accept(shown)
          take(.useCredential, URLCredential(trust: trust))
        case .rejectProtectionSpace: take(.rejectProtectionSpace, nil)
        case .cancel: take(.cancelAuthenticationChallenge, nil)
        case .performDefaultHandling, .proceed, .useCredential: take(.performDefaultHandling, nil)
        }
      }
    }
  }

  /// Has later transfers of an origin ask.
  func asksAboutServers(of origin: String) {
    state.withLock { state in
      if state.askingOrigins.count >= Self.mostKept { state.askingOrigins = [] }
      state.askingOrigins.insert(origin)
    }
  }

  private func accept(_ shown: BackgroundServerTrust) {
    state.withLock { state in
      if state.accepted.count >= Self.mostKept { state.accepted = [] }
      state.accepted.insert(shown)
    }
  }
}
