import Foundation
import Testing
import URLLoadingSQLite
import URLLoadingTestServers

@testable import URLLoading

/// Files of cookies that two processes use.
@Suite(.timeLimit(.minutes(4))) struct CookieDatabaseTests {
  private let directory: TemporaryDirectory
  private let now = Date()

  init() throws {
    directory = try TemporaryDirectory("cookies")
  }

  private var path: String { directory.file("data/cookies.sqlite").path }

  private func database() throws -> CookieDatabase { try CookieDatabase(path: path, busyTimeout: .seconds(5)) }

  private func record(_ value: String, stored offset: TimeInterval) throws -> CookieRecord {
    let origin = try #require(CookieOrigin("http://example.org/"))
    let cookie = try #require(HTTPCookie(setCookie: "a=\(value); Max-Age=1000", origin: origin, now: now))
    return CookieRecord(cookie, creation: 1, lastAccess: 1, stored: now + offset)
  }

  private func write(_ change: CookieChange, to database: CookieDatabase) throws {
    var unwritten = UnwrittenCookies()
    unwritten.recordChange(change, partition: "")
    try database.write(unwritten)
  }

  private func values() throws -> [String] {
    try #require(try database().contentsIfChangedElsewhere()).cookies.map(\.record.cookie.value)
  }

  @Test func whatAnotherStoresAnewOutlivesTheCleaningUp() throws {
    let (first, second) = (try database(), try database())
    let (old, new) = (try record("old", stored: 0.1), try record("new", stored: 0.2))
    try write(.stored(old), to: first)
    try write(.stored(new), to: second)
    try write(.dropped(old), to: first)
    #expect(try values() == ["new"])
    try write(.dropped(new), to: first)
    #expect(try values() == [])
  }

  @Test func whatSomebodyRemovesGoesInAnyVersion() throws {
    let (first, second) = (try database(), try database())
    try write(.stored(try record("new", stored: 0.2)), to: second)
    try write(.removed(try record("old", stored: 0.1).cookie), to: first)
    #expect(try values() == [])
  }

  @Test func onlyWhatOthersHaveWrittenIsReadAnew() throws {
    let (first, second) = (try database(), try database())
    #expect(try first.contentsIfChangedElsewhere()?.cookies.count == 0)
    try write(.stored(try record("1", stored: 0)), to: first)
    #expect(try first.contentsIfChangedElsewhere() == nil)
    try write(.stored(try record("2", stored: 1)), to: second)
    #expect(try first.contentsIfChangedElsewhere()?.cookies.map(\.record.cookie.value) == ["2"])
  }

  /// Another process has the file for longer than a write waits.
  @Test func aFlushWaitsForAFileThatIsBusy() async throws {
    let folder = directory.file("data").path
    let storage = HTTPCookieStorage(in: folder, busyTimeout: .milliseconds(10))
    storage.store(setCookieValues: ["a=1; Max-Age=1000"], from: "https://example.org/")
    await withCheckedContinuation { done in storage.flush { done.resume() } }
    let other = try SQLiteDatabase(path: path)
    try other.execute("BEGIN IMMEDIATE")
    storage.store(setCookieValues: ["b=1; Max-Age=1000"], from: "https://example.org/")
    let isFlushed = Watched(false)
    storage.flush { isFlushed.update { $0 = true } }
    #expect(await !isFlushed.wait(timeout: .milliseconds(500)) { $0 })
    try other.execute("ROLLBACK")
    #expect(await isFlushed.wait { $0 })
    #expect(HTTPCookieStorage(in: folder).cookies?.map(\.name).sorted() == ["a", "b"])
  }
}
