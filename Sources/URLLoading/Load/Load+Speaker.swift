internal import URLLoadingBase

extension Load {
  /// Who says what a response says, of the attempt that runs.
  func speaker(of response: URLResponse) -> ResponseSpeaker {
    let http = response as? HTTPURLResponse
    if http?.speaker == .proxy { return .proxy }
    let (isStored, protocolClass) = read { ($0.attempt.cache.isStored, $0.attempt.protocolClass) }
    if isStored { return .cache }
    guard protocolClass == HTTPProtocol.self, let http else { return .instance }
    return .origin(isVerified: http.speaker == .verifiedOrigin)
  }
}
