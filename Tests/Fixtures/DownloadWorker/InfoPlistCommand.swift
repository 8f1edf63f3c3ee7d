import Foundation
import URLLoading

/// Loads a URL by the rules of the `Info.plist` beside this executable, and says the status, or the error's code and words.
enum InfoPlistCommand {
  static func run(url: String) async {
    guard let url = URL(string: url) else { return say("no URL") }
    let configuration = URLSessionConfiguration.ephemeral
    configuration.connectionProxyDictionary = [:]
    configuration.appTransportSecurity = .infoPlist
    do {
      let (_, response) = try await URLSession(configuration: configuration).data(from: url)
      say("status \((response as? HTTPURLResponse)?.statusCode ?? 0)")
    } catch {
      say("code \((error as? URLError)?.code.rawValue ?? 0) \(error.localizedDescription)")
    }
  }
}
