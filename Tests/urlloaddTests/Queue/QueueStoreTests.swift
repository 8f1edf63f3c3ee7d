import Foundation
import Testing
import URLLoadingSQLite
import URLLoadingTestServers

@testable import urlloadd

/// The queue's file.
@Suite struct QueueStoreTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory("queue") }

  @Test func aQueueOfAnEarlierVersionIsOpened() throws {
    let path = folder.file("queue.sqlite").path
    _ = try QueueStore(path: path)
    try SQLiteDatabase(path: path).execute("DROP TABLE removal; DROP TABLE metrics; DROP TRIGGER task_metrics")
    let store = try QueueStore(path: path)
    try store.finishRemovals()
    #expect(try store.contents().jobs.isEmpty)
  }

  /// Numbers are used again, by services that know nothing of metrics as well.
  @Test func metricsGoWithTheirTask() throws {
    let path = folder.file("queue.sqlite").path
    let store = try QueueStore(path: path)
    let database = try SQLiteDatabase(path: path)
    try database.execute("INSERT INTO task VALUES (7, 's', 1, 'download', 'o', NULL, x'', x'', NULL, NULL, NULL)")
    let content = #"{"start":1,"end":2,"redirects":3,"transactions":[]}"#
    try database.execute("INSERT INTO metrics VALUES (7, CAST('\(content)' AS BLOB))")
    #expect(try store.metrics(7)?.start == Date(timeIntervalSinceReferenceDate: 1))
    try database.execute("DELETE FROM task WHERE number = 7")
    #expect(try store.metrics(7) == nil)
  }

  @Test func filesOfACommitAreRemovedByTheNextService() throws {
    let path = folder.file("queue.sqlite").path
    let file = try folder.write("download-1", Data("body".utf8))
    _ = try QueueStore(path: path)
    // As a service leaves it that is killed behind the commit.
    try SQLiteDatabase(path: path).execute("INSERT INTO removal VALUES ('\(file.path)')")
    try QueueStore(path: path).finishRemovals()
    #expect(access(file.path, F_OK) != 0)
  }
}
