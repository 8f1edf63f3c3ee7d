import Foundation
import URLLoading

/// Has its delegate asked everything: redirects, challenges for the connection and for credentials, an informational response, a body.
/// The body of the response says how the challenges were answered.
final class EventfulProtocol: URLProtocol, URLAuthenticationChallengeSender, @unchecked Sendable {
  override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "eventful" }
  override class var capabilities: Capabilities { [.nonblocking, .upload] }

  // Touched by one event after another.
  private var answers: [String] = []

  static func configuration() -> URLSessionConfiguration {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [EventfulProtocol.self]
    return configuration
  }

  static let url = URL(stringLiteral: "eventful://host/start")

  private var response: HTTPURLResponse? {
    request.url.flatMap { HTTPURLResponse(url: $0, statusCode: 200, httpVersion: nil, headerFields: nil) }
  }

  override func startLoading() {
    guard request.url?.path != "/start" else {
      guard let response else { return }
      var next = request
      next.url = URL(stringLiteral: "eventful://host/end")
      client?.urlProtocol(self, wasRedirectedTo: next, redirectResponse: response)
      return
    }
    ask(NSURLAuthenticationMethodNTLM)
  }

  override func stopLoading() {}

  private func ask(_ method: String) {
    let space = URLProtectionSpace(
      host: "host", port: 1, protocol: "eventful", realm: nil, authenticationMethod: method)
    client?.urlProtocol(
      self,
      didReceive: URLAuthenticationChallenge(
        protectionSpace: space, proposedCredential: nil, previousFailureCount: 0, failureResponse: nil, error: nil,
        sender: self))
  }

  private func answered(_ answer: String, _ challenge: URLAuthenticationChallenge) {
    answers.append(answer)
    guard challenge.protectionSpace.authenticationMethod != NSURLAuthenticationMethodNTLM else {
      return ask(NSURLAuthenticationMethodDefault)
    }
    guard let response, let client = client as? any URLProtocolSessionClient else { return }
    client.urlProtocol(self, didReceiveInformationalResponse: response)
    if client.urlProtocolUploadBody(self) != nil { client.urlProtocol(self, didSendBodyData: 3) }
    client.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
    client.urlProtocol(self, didLoad: Data(answers.joined(separator: " ").utf8))
    client.urlProtocolDidFinishLoading(self)
  }

  func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {
    answered(credential.user ?? "-", challenge)
  }
  func continueWithoutCredential(for challenge: URLAuthenticationChallenge) { answered("without", challenge) }
  func cancel(_ challenge: URLAuthenticationChallenge) { answered("cancelled", challenge) }
  func performDefaultHandling(for challenge: URLAuthenticationChallenge) { answered("default", challenge) }
  func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) { answered("rejected", challenge) }
}
