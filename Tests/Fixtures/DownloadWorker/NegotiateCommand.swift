import Foundation
import URLLoading

/// Loads a URL with a delegate that answers Negotiate, and says the status and the body, or the error: the tickets are the process's.
enum NegotiateCommand {
  static func run(url: String) async {
    guard let url = URL(string: url) else { return say("no URL") }
    let configuration = URLSessionConfiguration.ephemeral
    configuration.connectionProxyDictionary = [:]
    let session = URLSession(configuration: configuration, delegate: Delegate(), delegateQueue: nil)
    for _ in 0..<2 {
      do {
        let (data, response) = try await session.data(from: url)
        say("\((response as? HTTPURLResponse)?.statusCode ?? 0) \(String(decoding: data, as: UTF8.self))")
      } catch {
        say("\((error as NSError).code) \(error.localizedDescription)")
      }
    }
  }

  private final class Delegate: NSObject, URLSessionTaskDelegate, Sendable {
    func urlSession(
      _ session: URLSession, didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
      guard challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodNegotiate,
        challenge.previousFailureCount == 0
      else { return (.performDefaultHandling, nil) }
      return (.useCredential, URLCredential(user: "", password: "", persistence: .none))
    }
  }
}
