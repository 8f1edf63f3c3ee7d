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
    #else
    let kept = try Kept()
    kept.configure(configuration)
    HTTP3.configure(configuration)
    #endif
    let requests = try Requests(of: work)
    let measurement = Measurement(client: client, work: work)
    let counter = BodyCounter()
    let session = URLSession(
      configuration: configuration, delegate: work.mode == .sink ? counter : nil, delegateQueue: nil)
    #if !PEER
    try await kept.fill(with: requests, of: work, in: session)
    try await HTTP3.begin(with: requests[0], in: session)
    #endif
    let leftFiles = LeftFiles()
    switch work.mode {
    case .get: try await measurement.run { try await session.data(for: requests[$0]).0.count }
    case .loop:
      #if PEER
      throw Work.Misuse(description: "\(client) has no executor")
      #else
      try await withTaskExecutorPreference(URLSession.loadingExecutor) {
        try await measurement.run { try await session.data(for: requests[$0]).0.count }
      }
      #endif
    case .handler:
      try await measurement.run { number, completion in
        session.dataTask(with: requests[number]) { data, _, error in
          completion(data.map { .success($0.count) } ?? .failure(error ?? URLError(.unknown)))
        }.resume()
      }
    case .sink:
      try await measurement.run { counter.load(requests[$0], in: session, completion: $1) }
    case .file:
      try await measurement.run { number in
        let (file, _) = try await session.download(for: requests[number])
        await leftFiles.add(file)
        return (try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int) ?? 0
      }
    case .put:
      let file = URL(fileURLWithPath: work.path)
      let size = (try FileManager.default.attributesOfItem(atPath: work.path)[.size] as? Int) ?? 0
      try await measurement.run { number in
        var request = requests[number]
        request.httpMethod = "PUT"
        let (_, response) = try await session.upload(for: request, fromFile: file)
        return (response as? HTTPURLResponse).map { $0.statusCode / 100 == 2 ? size : 0 } ?? 0
      }
    case .idle:
      try await measurement.runIdle {
        for number in 0..<work.count { session.dataTask(with: requests[number]) { _, _, _ in }.resume() }
      }
      exit(0)
    }
    await leftFiles.remove()
    #if !PEER
    kept.remove()
    #endif
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
