import Foundation
import URLLoading
import URLLoadingSQLite
import URLLoadingTestServers

@testable import urlloadd

/// The file of a queue with tasks, one of whose pages is damaged.
struct DamagedQueue {
  static let session = "damaged"
  static let count = 40
  /// The task whose page is damaged.
  static let damaged = 20

  let path: String

  /// Makes a queue whose tasks have a page each, or several.
  /// - Parameter requestLength: in bytes: below 3000 the whole row is on one page, above 10,000 the request is on others.
  init(at path: String, requestLength: Int) throws {
    self.path = path
    var changes = QueueChanges()
    let description = BackgroundSessionDescription(identifier: Self.session, program: "/bin/true")
    changes.sessions[Self.session] = QueueStore.StoredSession(description: description, nextIdentifier: Self.count + 1)
    var jobs: [Int: Job] = [:]
    for number in 1...Self.count {
      var job = Job(
        number: number, session: Self.session, identifier: number, kind: .download, origin: "http://a:",
        resourceTimeout: nil)
      job.state.phase = .idle
      jobs[number] = job
      changes.tasks.insert(number)
      var task = BackgroundTaskDescription(kind: .download, request: Self.request(number, length: requestLength))
      task.identifier = number
      changes.blobs[number] = QueueChanges.Blobs(description: task)
    }
    let stored = jobs
    try QueueStore(path: path).write(changes) { stored[$0] }
    // From the log into the file.
    try SQLiteDatabase(path: path).execute("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  /// What the request of a task is made of: its number, again and again.
  static func request(_ number: Int, length: Int) -> Data {
    let word = Data("request-\(number);".utf8)
    var data = Data(capacity: length + word.count)
    while data.count < length { data.append(word) }
    return data
  }

  /// Writes nonsense over a page with the middle of the task's request.
  func damage() throws {
    let pageSize = 4096
    var file = try Data(contentsOf: URL(fileURLWithPath: path))
    // The first page that is full of the word: with a long request none that has the row's beginning or its end.
    let word = Data("request-\(Self.damaged);".utf8)
    let pages = stride(from: 0, to: file.count, by: pageSize).map { start in
      (start, Self.occurrences(of: word, in: file[start..<min(start + pageSize, file.count)]))
    }
    let most = pages.map(\.1).max() ?? 0
    // A word may lie across the border of two pages.
    guard most > 0, let page = pages.first(where: { $0.1 >= most - 1 }) else {
      throw TestServerError("no page has the task")
    }
    file.replaceSubrange(page.0..<page.0 + pageSize, with: Data(repeating: 0xFF, count: pageSize))
    // The file itself, which may be open.
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    try handle.write(contentsOf: file)
    try handle.close()
  }

  private static func occurrences(of word: Data, in page: Data) -> Int {
    var (count, start) = (0, page.startIndex)
    while let found = page.range(of: word, in: start..<page.endIndex) {
      count += 1
      start = found.upperBound
    }
    return count
  }
}
