import ArgumentParser

#if PEER
import Foundation
import FoundationNetworking
#else
import URLLoading
#endif

/// Loads one URL many times and prints one line of JSON. Built twice: with this library, and with the toolchain's
/// FoundationNetworking (`PEER`).
@main
struct LoadBench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "load-bench")

  @Argument(help: "What to load.") var url: String
  @Argument(help: "How often.") var count: Int
  @Argument(help: "How many at once.") var concurrency: Int
  @Argument(help: "How: get (async), handler, or file.") var mode: BenchMode

  func run() async throws {
    guard let url = URL(string: url) else { throw ValidationError("not a URL: \(url)") }
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpMaximumConnectionsPerHost = concurrency
    #if PEER
    configuration.urlCache = nil
    let client = "FoundationNetworking"
    #else
    let client = "URLLoading"
    #endif
    let session = URLSession(configuration: configuration)
    let files = LeftFiles()
    try await Measurement(client: client, mode: mode, count: count, concurrency: concurrency).run {
      switch mode {
      case .get: return try await session.data(from: url).0.count
      case .handler:
        return try await withCheckedThrowingContinuation { continuation in
          session.dataTask(with: url) { data, _, error in
            if let data {
              continuation.resume(returning: data.count)
            } else {
              continuation.resume(throwing: error ?? URLError(.unknown))
            }
          }.resume()
        }
      case .file:
        let (file, _) = try await session.download(from: url)
        await files.add(file)
        return (try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int) ?? 0
      }
    }
    await files.remove()
  }
}
