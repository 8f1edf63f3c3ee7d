import Foundation
import Measuring
import URLLoading

/// Loads URLs by the transfer service, and says what that took: CPU time and memory are the service's.
///
/// `file` queues all loads at once and waits for their files. `idle` queues loads that begin in an hour where there are none, and ends;
/// the next program with that mode attaches to them.
@main
struct BackgroundBench {
  static func main() {
    Program.run(run)
  }

  private static func run() async throws {
    let work = try Work()
    switch work.mode {
    case .file: try await load(work)
    case .idle: try await attach(work)
    default: throw Work.Misuse(description: "the transfer service loads into files")
    }
    exit(0)
  }

  private static func session(_ name: String, _ delegate: FileTaker? = nil) -> URLSession {
    URLSession(configuration: .background(withIdentifier: name), delegate: delegate, delegateQueue: nil)
  }

  private static func load(_ work: Work) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "taken-\(getpid())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let taker = FileTaker(folder: folder)
    let session = session("load-\(getpid())", taker)
    // The service is there once it has answered.
    _ = await session.allTasks
    try await Measurement(client: "URLLoading", work: work, of: try service()).run { number, completion in
      guard let url = try? work.url(number) else { return completion(.failure(URLError(.badURL))) }
      var request = URLRequest(url: url)
      if let value = work.requestID(number) { request.setValue(value, forHTTPHeaderField: "X-Request-ID") }
      taker.take(session.downloadTask(with: request), completion)
    }
    try FileManager.default.removeItem(at: folder)
  }

  private static func attach(_ work: Work) async throws {
    // The service is there, and its start is not measured.
    _ = await session("probe").allTasks
    try await Measurement(client: "URLLoading", work: work, of: try service()).measure {
      let session = session("attach")
      if await session.allTasks.isEmpty {
        for number in 0..<work.count {
          let task = session.downloadTask(with: try work.url(number))
          task.earliestBeginDate = Date(timeIntervalSinceNow: 3600)
          task.resume()
        }
      }
      let count = await session.allTasks.count
      guard count == work.count else { throw Work.Misuse(description: "\(count) tasks are there") }
      return 0
    }
  }

  /// The process of the service, by the lock on its state.
  private static func service() throws -> pid_t {
    let state = ProcessInfo.processInfo.environment["XDG_STATE_HOME"] ?? ""
    let text = try String(contentsOfFile: "\(state)/url-loading/urlloadd/lock", encoding: .utf8)
    guard let process = pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
      throw Work.Misuse(description: "no service has the state")
    }
    return process
  }
}
