import Foundation
import URLLoading

/// Loads a URL by the proxies that a script names, none, and says how long the body is, or the error's code and words.
enum PACCommand {
  static func run(url: String) async {
    guard let url = URL(string: url) else { return say("no URL") }
    let configuration = URLSessionConfiguration.ephemeral
    configuration.connectionProxyDictionary = [
      kCFNetworkProxiesProxyAutoConfigJavaScript: "function FindProxyForURL() { return 'DIRECT'; }"
    ]
    do {
      say("loaded \(try await URLSession(configuration: configuration).data(from: url).0.count)")
    } catch {
      say("error \((error as NSError).code) \(error.localizedDescription)")
    }
  }
}
