import Measuring

#if PEER
import Foundation
import FoundationNetworking
#else
import URLLoading
#endif

/// Loads URLs and says what it took. Built twice: with this library, and with the toolchain's FoundationNetworking (`PEER`).
@main
struct LoadBench {
  #if PEER
  private static let client = "FoundationNetworking"
  #else
  private static let client = "URLLoading"
  #endif

  static func main() {
    Program.run(run)
  }

  private static func run() async throws {
    let work = try Work()
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpMaximumConnectionsPerHost = work.connections
    // Nobody answers an idle load.
    configuration.timeoutIntervalForRequest = 3600
    #if PEER
    configuration.urlCache = nil
    #endif
    let url = try work.url(0)
    let measurement = Measurement(client: client, work: work)
    let counter = BodyCounter()
    let session = URLSession(
      configuration: configuration, delegate: work.mode == .sink ? counter : nil, delegateQueue: nil)
    let leftFiles = LeftFiles()
    switch work.mode {
    case .get: try await measurement.run { _ in try await session.data(from: url).0.count }
    case .handler: try await measurement.run { _ in try await session.countByHandler(url) }
    case .sink: try await measurement.run { _ in try await counter.load(url, in: session) }
    case .file:
      try await measurement.run { _ in
        let (file, _) = try await session.download(from: url)
        await leftFiles.add(file)
        return (try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int) ?? 0
      }
    case .put:
      var request = URLRequest(url: url)
      request.httpMethod = "PUT"
      let file = URL(fileURLWithPath: work.path)
      let size = (try FileManager.default.attributesOfItem(atPath: work.path)[.size] as? Int) ?? 0
      try await measurement.run { [request] _ in
        let (_, response) = try await session.upload(for: request, fromFile: file)
        return (response as? HTTPURLResponse).map { $0.statusCode / 100 == 2 ? size : 0 } ?? 0
      }
    case .idle:
      try await measurement.runIdle {
        for _ in 0..<work.count { session.dataTask(with: url) { _, _, _ in }.resume() }
      }
      exit(0)
    }
    await leftFiles.remove()
  }
}

extension URLSession {
  /// The bytes that a completion handler gets.
  fileprivate func countByHandler(_ url: URL) async throws -> Int {
    try await withCheckedThrowingContinuation { continuation in
      dataTask(with: url) { data, _, error in
        if let data {
          continuation.resume(returning: data.count)
        } else {
          continuation.resume(throwing: error ?? URLError(.unknown))
        }
      }.resume()
    }
  }
}

/// Files to be removed when nothing is measured any more: to free a gigabyte takes a fifth of the time that its download takes.
private actor LeftFiles {
  private var files: [URL] = []

  func add(_ file: URL) { files.append(file) }

  func remove() {
    for file in files { try? FileManager.default.removeItem(at: file) }
    files = []
  }
}
