import Foundation
import URLLoading

/// Loads a URL with an identity of a token, and says the status and the body, or what is wrong.
enum IdentityCommand {
  static func run(url: String, authority: String, uri: String, pin: String) async {
    guard let url = URL(string: url) else { return say("no URL") }
    do {
      let identity = try SecIdentity(pkcs11: uri, pin: pin)
      let configuration = URLSessionConfiguration.ephemeral
      configuration.connectionProxyDictionary = [:]
      configuration.certificateAuthorityFile = URL(fileURLWithPath: authority)
      let session = URLSession(configuration: configuration, delegate: Delegate(identity), delegateQueue: nil)
      let (data, response) = try await session.data(from: url)
      say("\((response as? HTTPURLResponse)?.statusCode ?? 0) \(String(decoding: data, as: UTF8.self))")
    } catch {
      say("failed: \(error.localizedDescription)")
    }
  }

  private final class Delegate: NSObject, URLSessionDelegate, Sendable {
    private let identity: SecIdentity

    init(_ identity: SecIdentity) { self.identity = identity }

    func urlSession(
      _ session: URLSession, didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
      guard challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodClientCertificate else {
        return (.performDefaultHandling, nil)
      }
      return (.useCredential, URLCredential(identity: identity, certificates: nil, persistence: .forSession))
    }
  }
}
