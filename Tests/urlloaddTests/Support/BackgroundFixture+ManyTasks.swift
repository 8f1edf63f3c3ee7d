import Foundation
import Glibc
import URLLoading
import URLLoadingTestServers

@testable import urlloadd

extension BackgroundFixture {
  /// Bytes of a queue that are written in one transaction.
  private static let transaction = 32 << 20

  /// Writes a queue with downloads of the session `test` that have ended, each with a file that has its number.
  /// - Parameter head: bytes that a response's head has, about, by the number of its task.
  func storeEnded(_ numbers: ClosedRange<Int>, head: (Int) -> Int) throws {
    let store = try queue()
    let folder = state.appending(path: "files").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try write(numbers, to: store, size: head) { number, job, blobs in
      let file = "\(folder)/\(number).body"
      try Self.write(String(number), to: file)
      job.phase = .ended
      job.endOrder = number
      var outcome = BackgroundOutcome()
      outcome.file = file
      outcome.progress.received = 1
      blobs.outcome = .some(outcome)
      blobs.response = .some(try Self.response(head: head(number)))
    }
  }

  /// Writes a queue with downloads of the session `test` whose dates are far away.
  /// - Parameter body: bytes of a request's body.
  func storeWaiting(_ numbers: ClosedRange<Int>, body: Int = 0, path: String = "a") throws {
    var request = URLRequest(url: URL(string: "http://127.0.0.1:9/\(path)") ?? URL(fileURLWithPath: "/"))
    if body > 0 { (request.httpMethod, request.httpBody) = ("POST", Data(count: body)) }
    let data = BackgroundValues.data(of: request)
    try write(numbers, to: try queue(), size: { _ in data.count }) { _, job, blobs in
      blobs.description?.request = data
      job.hints.earliestBegin = Date().addingTimeInterval(100_000)
    }
  }

  /// Without waiting for the disk: there are many.
  private static func write(_ text: String, to file: String) throws {
    let descriptor = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    defer { close(descriptor) }
    let bytes = Array(text.utf8)
    guard descriptor >= 0, Glibc.write(descriptor, bytes, bytes.count) == bytes.count else {
      throw TestServerError("\(file) cannot be written: \(errno)")
    }
  }

  static func response(head: Int) throws -> Data {
    let fields = ["X-Head": String(repeating: "h", count: head)]
    guard let url = URL(string: "http://127.0.0.1:9/a"),
      let response = HTTPURLResponse(url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: fields)
    else { throw TestServerError("no response") }
    return BackgroundValues.data(of: response)
  }

  private func write(
    _ numbers: ClosedRange<Int>, to store: QueueStore, size: (Int) -> Int,
    _ change: (Int, inout Job.State, inout QueueChanges.Blobs) throws -> Void
  ) throws {
    let request = BackgroundValues.data(
      of: URLRequest(url: URL(string: "http://127.0.0.1:9/a") ?? URL(fileURLWithPath: "/")))
    var changes = QueueChanges()
    changes.sessions["test"] = QueueStore.StoredSession(
      description: BackgroundSessionDescription(identifier: "test", program: "/bin/true"),
      nextIdentifier: numbers.upperBound + 1)
    var jobs: [Int: Job] = [:]
    var bytes = 0
    for number in numbers {
      var job = Job(number: number, session: "test", identifier: number, kind: .download, origin: "o")
      job.state.phase = .waiting
      var task = BackgroundTaskDescription(kind: .download, request: request)
      task.identifier = number
      var blobs = QueueChanges.Blobs(description: task)
      try change(number, &job.state, &blobs)
      jobs[number] = job
      changes.tasks.insert(number)
      changes.blobs[number] = blobs
      bytes += size(number) + 1000
      guard bytes > Self.transaction || number == numbers.upperBound else { continue }
      try store.write(changes) { jobs[$0] }
      (changes, jobs, bytes) = (QueueChanges(), [:], 0)
    }
  }
}
