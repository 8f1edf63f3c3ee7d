internal import URLLoadingCurlTransport

/// A class with TLS connections, for which the delegate may evaluate the server and provide an identity: HTTP and FTP.
///
/// A handshake that is aborted for a question is a failed transfer; the question becomes a challenge, and its answer starts another
/// transfer.
protocol TrustEvaluatingProtocol: URLProtocol, URLAuthenticationChallengeSender {
  /// Removes the pending question, and returns it with the result of its transfer; nil where there is none.
  func takeQuestion() -> (ConnectionQuestion, Result<TransferMetrics, TransferFailure>)?
  /// Calls `body` with what was answered, under the instance's lock.
  func withAnswers<Result>(_ body: (inout CurlSession.Answers?) -> Result) -> Result
  /// Repeats the handshake: nothing of the body was read.
  func beginAgain()
  /// Passes the end of a transfer on.
  func complete(_ result: Result<TransferMetrics, TransferFailure>)
}

extension TrustEvaluatingProtocol {
  /// Sends the challenge about a connection.
  func ask(_ question: ConnectionQuestion) {
    guard let connections = sessionClient?.session.component(CurlSession.self) else { return }
    let scheme = request.url?.scheme?.lowercased() ?? "https"
    client?.urlProtocol(self, didReceive: question.challenge(scheme: scheme, connections.authorities, from: self))
  }

  /// Repeats the handshake that was aborted for a question, or fails.
  /// - Returns: false where no question about a connection is pending.
  func resolve(by decision: ConnectionQuestion.Decision) -> Bool {
    guard let (question, result) = takeQuestion() else { return false }
    guard case .proceed(let change) = question.resolved(by: decision) else {
      complete(result)
      return true
    }
    withAnswers { answers in
      var new = answers ?? [:]
      new.record(change, of: question.endpoint)
      answers = new
    }
    if case .identifies(.identity(let identity)) = change, case .credential(let credential) = decision,
      credential.persistence != .none, !request.urlFacts.isOfUnixSocket, let sessionClient,
      let evaluator = sessionClient.urlProtocolDemand(self).connectionJudge
    {
      sessionClient.session.component(CurlSession.self).remember(identity, for: question.endpoint, of: evaluator)
    }
    beginAgain()
    return true
  }

  /// What the session's App Transport Security asks of the server.
  var transportRequirements: TransportSecurityRequirements? {
    guard let session = sessionClient?.session, session.values.appTransportSecurity != nil, let url = request.url
    else { return nil }
    return session.transportSecurityRequirements(for: url)
  }

  /// The error of the load for a failure.
  func error(for failure: TransferFailure) -> URLError {
    if case .brokenRequirement(let violation) = failure.reason, let requirements = transportRequirements {
      return requirements.violation(of: .init(violation.rule), found: violation.found, url: request.url)
    }
    return URLError(failure, url: request.url)
  }

  /// An identity that the server refused is not used again. That it wants one, TLS 1.2 has no alert for.
  func handleIdentityRefusal(_ failure: inout TransferFailure) {
    guard failure.urlErrorCode == .clientCertificateRejected || failure.urlErrorCode == .secureConnectionFailed,
      let endpoint = request.url.flatMap({ TLSEndpoint(url: $0.absoluteString) })
    else { return }
    if failure.urlErrorCode == .clientCertificateRejected {
      // Which of the two it was, the server or a proxy, is not known.
      let known = withAnswers { $0?.keys.filter(\.isProxy) } ?? []
      for endpoint in known + [endpoint] {
        sessionClient?.session.component(CurlSession.self).forgetIdentities(of: endpoint)
      }
    } else if case CurlSession.IdentityChoice.none? = withAnswers({ $0?[endpoint]?.identity }) {
      failure.urlErrorCode = .clientCertificateRequired
      failure.message = "the server asked for a certificate of the client, and got none: \(failure.message)"
    }
  }
}
