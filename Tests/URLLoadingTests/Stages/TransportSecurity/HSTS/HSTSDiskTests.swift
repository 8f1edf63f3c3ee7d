import Foundation
import Testing
import URLLoadingSQLite
import URLLoadingTestServers

@testable import URLLoading

/// Policies outlive the program with the cookies, in one file with them.
@Suite(.timeLimit(.minutes(4))) struct HSTSDiskTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory("hsts")
  }

  private var path: String { directory.file("data/cookies.sqlite").path }

  private func storage() -> HTTPCookieStorage { HTTPCookieStorage(in: directory.file("data").path) }

  private func note(_ field: String, from host: String, in storage: HTTPCookieStorage) {
    storage.recordTransportSecurity(field, from: host, isSecure: true, isVerified: true)
  }

  private func flush(_ storage: HTTPCookieStorage) async {
    await withCheckedContinuation { done in storage.flush { done.resume() } }
  }

  @Test func policiesOutliveTheStorage() async {
    let first = storage()
    first.store(setCookieValues: ["a=1; Max-Age=1000"], from: "https://example.org/")
    note("max-age=1000", from: "example.org", in: first)
    note("max-age=1000; includeSubDomains", from: "example.com", in: first)
    note("max-age=1000", from: "gone.org", in: first)
    await flush(first)
    note("max-age=0", from: "gone.org", in: first)
    await flush(first)
    let second = storage()
    #expect(second.requiresSecureTransport(to: "example.org") && second.requiresSecureTransport(to: "a.example.com"))
    #expect(!second.requiresSecureTransport(to: "a.example.org") && !second.requiresSecureTransport(to: "gone.org"))
    #expect(second.cookies?.map(\.name) == ["a"])
  }

  @Test func aStorageWithoutPoliciesMakesNoTable() async throws {
    let first = storage()
    first.store(setCookieValues: ["a=1; Max-Age=1000"], from: "https://example.org/")
    await flush(first)
    #expect(!first.hasTransportPolicies)
    #expect(throws: SQLiteError.self) { try SQLiteDatabase(path: path).execute("SELECT * FROM hsts") }
    // One that another program has made without it gets it with the first policy.
    let second = storage()
    note("max-age=1000", from: "example.org", in: second)
    await flush(second)
    #expect(storage().hasTransportPolicies && storage().cookies?.count == 1)
  }

  @Test func whatOthersNoteIsSeen() async throws {
    let (first, second) = (storage(), storage())
    #expect(!first.hasTransportPolicies && !second.hasTransportPolicies)
    note("max-age=1000", from: "a.org", in: first)
    note("max-age=1000", from: "b.org", in: second)
    await flush(first)
    await flush(second)
    #expect(
      try await eventually(timeout: .seconds(20)) {
        [first, second].allSatisfy { storage in
          ["a.org", "b.org"].allSatisfy { storage.requiresSecureTransport(to: $0) }
        }
      })
    note("max-age=0", from: "a.org", in: second)
    await flush(second)
    #expect(try await eventually(timeout: .seconds(20)) { !first.requiresSecureTransport(to: "a.org") })
    #expect(first.requiresSecureTransport(to: "b.org"))
  }

  @Test func cookiesGoAndPoliciesStay() async {
    let first = storage()
    first.store(setCookieValues: ["a=1; Max-Age=1000"], from: "https://example.org/")
    note("max-age=1000", from: "example.org", in: first)
    await flush(first)
    first.removeCookies(since: .distantPast)
    await flush(first)
    #expect(first.requiresSecureTransport(to: "example.org") && first.cookies == [])
    #expect(storage().requiresSecureTransport(to: "example.org") && storage().cookies == [])
    first.store(setCookieValues: ["b=1; Max-Age=1000"], from: "https://example.org/")
    first.removeTransportPolicies()
    await flush(first)
    #expect(!storage().hasTransportPolicies && storage().cookies?.map(\.name) == ["b"])
  }

  @Test func aRowThatIsNotAsItWasWrittenIsDropped() async throws {
    let first = storage()
    for host in ["a.org", "b.org"] { note("max-age=1000", from: host, in: first) }
    await flush(first)
    try SQLiteDatabase(path: path).execute("UPDATE hsts SET expires = expires + 1 WHERE host = 'a.org'")
    let second = storage()
    #expect(!second.requiresSecureTransport(to: "a.org") && second.requiresSecureTransport(to: "b.org"))
    await flush(second)
    #expect(!storage().requiresSecureTransport(to: "a.org"))
  }

  @Test func aTableThatIsDefinedOtherwiseIsDamage() async throws {
    let first = storage()
    first.store(setCookieValues: ["a=1; Max-Age=1000"], from: "https://example.org/")
    await flush(first)
    try SQLiteDatabase(path: path).execute("CREATE TABLE hsts (x)")
    let second = storage()
    note("max-age=1000", from: "a.org", in: second)
    await flush(second)
    #expect(storage().requiresSecureTransport(to: "a.org"))
    #expect(FileManager.default.fileExists(atPath: path + ".damaged"))
  }

  @Test func aFileThatIsDeletedIsMadeAnew() async throws {
    let first = storage()
    note("max-age=1000", from: "a.org", in: first)
    await flush(first)
    for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
    note("max-age=1000", from: "b.org", in: first)
    await flush(first)
    let second = storage()
    #expect(second.requiresSecureTransport(to: "a.org") && second.requiresSecureTransport(to: "b.org"))
  }
}
