import Foundation
import Testing
import URLLoadingHTTPSemantics
import URLLoadingSQLite
import URLLoadingTestServers

@testable import URLLoading

/// Where origins can be reached by HTTP/3 outlives the program, in the file of the cookies.
@Suite(.timeLimit(.minutes(4))) struct AlternativeDiskTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory("alternatives")
  }

  private var path: String { directory.file("data/cookies.sqlite").path }

  private func storage() -> HTTPCookieStorage { HTTPCookieStorage(in: directory.file("data").path) }

  private func origin(_ host: String) -> HTTPOrigin { HTTPOrigin(host: host, port: 443) }

  private func note(_ field: String, from host: String, in storage: HTTPCookieStorage) {
    storage.recordAlternatives(field, from: origin(host), isVerified: true, age: 0)
  }

  private func flush(_ storage: HTTPCookieStorage) async {
    await withCheckedContinuation { done in storage.flush { done.resume() } }
  }

  @Test func theyOutliveTheStorage() async {
    let first = storage()
    first.store(setCookieValues: ["a=1; Max-Age=1000"], from: "https://example.org/")
    note("h3=\":8443\"", from: "example.org", in: first)
    note("h3=\"b.example:1\"; persist=1", from: "a.example", in: first)
    note("h3=\":443\"", from: "gone.org", in: first)
    await flush(first)
    note("clear", from: "gone.org", in: first)
    first.removeAlternative(of: origin("nobody.org"))
    await flush(first)
    let second = storage()
    #expect(second.alternative(for: origin("example.org"))?.endpoint == HTTPOrigin(host: "example.org", port: 8443))
    let other = second.alternative(for: origin("a.example"))
    #expect(other?.endpoint == HTTPOrigin(host: "b.example", port: 1) && other?.persists == true)
    #expect(second.alternative(for: origin("gone.org")) == nil && second.cookies?.map(\.name) == ["a"])
    // No policy of transport security comes of it.
    #expect(!second.hasTransportPolicies)
  }

  @Test func aStorageWithoutThemMakesNoTable() async throws {
    let first = storage()
    first.store(setCookieValues: ["a=1; Max-Age=1000"], from: "https://example.org/")
    await flush(first)
    #expect(throws: SQLiteError.self) { try SQLiteDatabase(path: path).execute("SELECT * FROM alternative") }
  }

  @Test func whatOthersNoteIsSeen() async throws {
    let (first, second) = (storage(), storage())
    note("h3=\":1\"", from: "a.org", in: first)
    note("h3=\":2\"", from: "b.org", in: second)
    await flush(first)
    await flush(second)
    #expect(
      try await eventually(timeout: .seconds(20)) {
        [first, second].allSatisfy { storage in
          ["a.org", "b.org"].allSatisfy { storage.alternative(for: origin($0)) != nil }
        }
      })
  }

  @Test func cookiesGoAndTheyStayUntilAllIsReset() async {
    let first = storage()
    first.store(setCookieValues: ["a=1; Max-Age=1000"], from: "https://example.org/")
    note("h3=\":443\"", from: "example.org", in: first)
    first.removeCookies(since: .distantPast)
    await flush(first)
    #expect(storage().alternative(for: origin("example.org")) != nil && storage().cookies == [])
    first.removeTransportPolicies()
    await flush(first)
    #expect(storage().alternative(for: origin("example.org")) == nil)
  }

  @Test func aRowThatIsNotAsItWasWrittenIsDropped() async throws {
    let first = storage()
    for host in ["a.org", "b.org"] { note("h3=\":443\"", from: host, in: first) }
    await flush(first)
    try SQLiteDatabase(path: path).execute("UPDATE alternative SET port = 444 WHERE origin_host = 'a.org'")
    let second = storage()
    #expect(second.alternative(for: origin("a.org")) == nil && second.alternative(for: origin("b.org")) != nil)
  }

  @Test func aFileThatIsDeletedIsMadeAnew() async throws {
    let first = storage()
    note("h3=\":443\"", from: "a.org", in: first)
    await flush(first)
    for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
    note("h3=\":443\"", from: "b.org", in: first)
    await flush(first)
    let second = storage()
    #expect(second.alternative(for: origin("a.org")) != nil && second.alternative(for: origin("b.org")) != nil)
  }
}
