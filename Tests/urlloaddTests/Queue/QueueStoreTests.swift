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
    try SQLiteDatabase(path: path).execute("DROP TABLE removal")
    let store = try QueueStore(path: path)
    try store.finishRemovals()
    #expect(try store.contents().jobs.isEmpty)
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
