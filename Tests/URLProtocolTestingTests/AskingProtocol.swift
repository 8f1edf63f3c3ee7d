import Foundation
import URLLoading
import URLLoadingTestServers

// Safe to share: an instance has no state.
/// A class whose delegate is asked: about logins and redirects. Its URL's host names what it does wrong.
///
/// `asking://fault/name` is bytes, `asking://fault/login/name` wants a login first, and `asking://fault/to/name` leads to the bytes;
/// `asking://fault/loop/name` leads to itself. `asking://fault/gate/name` wants two logins, the first one by a server at another port.
final class AskingProtocol: URLProtocol, URLAuthenticationChallengeSender, @unchecked Sendable {
  /// The bytes by name.
  static let store = Watched<[String: Data]>([:])
  /// Instances that are never released.
  private static let kept = Watched<[AskingProtocol]>([])
  /// Names of the bytes for which a credential was refused.
  private static let refused = Watched<Set<String>>([])
  private static let gatePort = 1

  var fault: AskingFault { request.url.flatMap { $0.host() }.flatMap { AskingFault(rawValue: $0) } ?? .none }

  override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "asking" }
  override class var capabilities: Capabilities { .nonblocking }

  override func startLoading() {
    switch request.url?.pathComponents.dropFirst().first {
    case "login": logIn()
    case "gate": ask(0, port: Self.gatePort)
    case "to", "loop": redirect()
    default: send()
    }
  }

  override func stopLoading() {}

  // MARK: Redirects

  private func redirect() {
    guard let url = request.url else { return }
    let isLoop = url.pathComponents.contains("loop")
    guard fault != .followsByItself else { return isLoop ? finishEmpty() : send() }
    guard !isLoop || fault != .loopEndsWell else { return finishEmpty() }
    var next = request
    next.url =
      isLoop ? url : URL(string: "asking://\(fault)/\(fault == .leadsElsewhere ? "other" : url.lastPathComponent)")
    client?.urlProtocol(
      self, wasRedirectedTo: next, redirectResponse: response(fault == .respondsByNewURL ? next.url : url, 0))
    if fault == .repeatsRedirect {
      client?.urlProtocol(self, wasRedirectedTo: next, redirectResponse: response(url, 0))
    }
    if fault == .sendsBehindRedirect { send() }
    if fault == .keepsAfterRedirect { Self.kept.update { $0.append(self) } }
  }

  // MARK: Logins

  private func logIn() {
    switch fault {
    case .neverAsks: return send()
    case .failsAtOnce: return fail(.userAuthenticationRequired)
    case .sendsWhileAsked:
      ask(0)
      return send()
    case .reusesRefused where Self.refused.value.contains(request.url?.lastPathComponent ?? ""):
      return fail(.userAuthenticationRequired)
    default: ask(0)
    }
  }

  private func ask(_ failures: Int, port: Int = 0) {
    let realm = fault == .newRealmEachTime ? UUID().uuidString : fault == .wrongRealm ? "Another" : "Shelf"
    let space = URLProtectionSpace(
      host: fault == .wrongHost ? "localhost" : "\(fault)", port: port, protocol: "asking", realm: realm,
      authenticationMethod: fault == .wrongMethod ? NSURLAuthenticationMethodHTMLForm : NSURLAuthenticationMethodDefault
    )
    client?.urlProtocol(
      self,
      didReceive: URLAuthenticationChallenge(
        protectionSpace: space, proposedCredential: nil, previousFailureCount: fault == .forgetsFailures ? 0 : failures,
        failureResponse: nil, error: nil, sender: self))
    if fault == .keepsWhileAsked { Self.kept.update { $0.append(self) } }
  }

  func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {
    let isRight = credential.user == "reader" && credential.password == "secret"
    let port = challenge.protectionSpace.port
    switch fault {
    case .sendsWhileAsked: return
    case .hangsAfterLogin: return
    case .asksTwice where challenge.previousFailureCount == 0: return ask(1)
    case .rejectsRight: return fail(.userAuthenticationRequired)
    case .takesAny: return send()
    case .failsByOtherCode where !isRight: return fail(.cannotOpenFile)
    default: break
    }
    if isRight { return port == Self.gatePort ? ask(0) : send() }
    if fault == .reusesRefused { Self.refused.update { _ = $0.insert(request.url?.lastPathComponent ?? "") } }
    ask(challenge.previousFailureCount + 1, port: port)
  }

  func continueWithoutCredential(for challenge: URLAuthenticationChallenge) { goOn() }
  func cancel(_ challenge: URLAuthenticationChallenge) { goOn() }
  func performDefaultHandling(for challenge: URLAuthenticationChallenge) { goOn() }
  func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) { goOn() }

  private func goOn() {
    switch fault {
    case .takesNone: send()
    case .sendsThenFails: sendAndFail()
    case .sendsWhileAsked: break
    case .isEmptyWithoutLogin: finishEmpty()
    case .failsByOtherCode: fail(.cannotOpenFile)
    default: fail(.userAuthenticationRequired)
    }
  }

  // MARK: Events

  private func send() {
    guard let url = request.url, let bytes = Self.store.value[url.lastPathComponent] else {
      return fail(.fileDoesNotExist)
    }
    let sent = fault == .losesByteAfterLogin && url.pathComponents.contains("login") ? bytes.dropLast() : bytes
    client?.urlProtocol(self, didReceive: response(url, bytes.count), cacheStoragePolicy: .notAllowed)
    client?.urlProtocol(self, didLoad: sent)
    client?.urlProtocolDidFinishLoading(self)
  }

  private func sendAndFail() {
    let bytes = Self.store.value[request.url?.lastPathComponent ?? ""] ?? Data()
    client?.urlProtocol(self, didReceive: response(request.url, bytes.count), cacheStoragePolicy: .notAllowed)
    client?.urlProtocol(self, didLoad: bytes)
    fail(.userAuthenticationRequired)
  }

  private func finishEmpty() {
    client?.urlProtocol(self, didReceive: response(request.url, 0), cacheStoragePolicy: .notAllowed)
    client?.urlProtocolDidFinishLoading(self)
  }

  private func fail(_ code: URLError.Code) {
    client?.urlProtocol(self, didFailWithError: URLError(code, message: "It failed.", url: request.url))
  }

  private func response(_ url: URL?, _ length: Int) -> URLResponse {
    URLResponse(
      url: url ?? URL(fileURLWithPath: "/"), mimeType: "application/octet-stream", expectedContentLength: length,
      textEncodingName: nil)
  }
}
