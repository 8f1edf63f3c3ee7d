import Foundation
import URLLoading

/// Loads a URL again and again until it is killed, and says by which scheme it came each time: `SCHEME STATUS`. When there is a file of
/// its name in the temporary directory, it has the host say that it wants secure connections alone.
enum HSTSCommand {
  static func run(url: String, noting: String, authority: String, name: String) async {
    guard let url = URL(string: url), let noting = URL(string: noting) else { return say("no URL") }
    let configuration = URLSessionConfiguration.default
    configuration.certificateAuthorityFile = URL(fileURLWithPath: authority)
    configuration.connectionProxyDictionary = [:]
    configuration.urlCache = nil
    let session = URLSession(configuration: configuration)
    let sign = FileManager.default.temporaryDirectory.appending(path: name).path
    var hasNoted = false
    while true {
      do {
        if !hasNoted, FileManager.default.fileExists(atPath: sign) {
          _ = try await session.data(from: noting)
          await session.flush()
          hasNoted = true
        }
        let (_, response) = try await session.data(from: url)
        say("\(response.url?.scheme ?? "none") \((response as? HTTPURLResponse)?.statusCode ?? 0)")
        try await Task.sleep(for: .milliseconds(50))
      } catch {
        say("wrong: \(error)")
      }
    }
  }
}
