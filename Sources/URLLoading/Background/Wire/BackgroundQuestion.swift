/// What only the program can decide.
package enum BackgroundQuestion: Codable, Sendable {
  /// Whether a task whose date has come is loaded, and as what.
  case delayedRequest
  /// - Parameters:
  ///   - space: the protection space in plain values, as a property list.
  ///   - proposed: a credential that was tried, in the same way.
  ///   - response: the one that asks for it, as ``BackgroundValues`` has it.
  ///   - trust: what a server has shown that is not trusted; nil for all other challenges.
  case challenge(space: Data, proposed: Data?, failures: Int, response: Data?, trust: BackgroundServerTrust?)
}

extension BackgroundQuestion {
  /// The same in less bytes.
  package var withoutResponse: BackgroundQuestion {
    guard case .challenge(let space, let proposed, let failures, _, let trust) = self else { return self }
    return .challenge(space: space, proposed: proposed, failures: failures, response: nil, trust: trust)
  }
}

/// What the program has decided.
package enum BackgroundAnswer: Codable, Sendable {
  /// - Parameter request: another one in its place, as ``BackgroundValues`` has it.
  case proceed(request: Data?)
  case cancel
  case useCredential(Data?)
  /// The server that was asked about is accepted with the certificates that it has shown.
  case trustsServer
  case performDefaultHandling
  case rejectProtectionSpace
}
