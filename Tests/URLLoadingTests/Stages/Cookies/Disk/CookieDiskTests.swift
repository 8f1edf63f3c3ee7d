import Foundation
import Testing
import URLLoadingBase
import URLLoadingTestServers

@testable import URLLoading

/// Storages with a file: what outlives them, alone and beside others.
@Suite(.timeLimit(.minutes(4))) struct CookieDiskTests {
  private let directory: TemporaryDirectory
  private let url: URL = "https://www.example.org/a/b"

  init() throws {
    directory = try TemporaryDirectory("cookies")
  }

  private func storage(in name: String = "data") -> HTTPCookieStorage {
    HTTPCookieStorage(in: directory.file(name).path)
  }

  private var file: URL { directory.file("data/cookies.sqlite") }

  private func store(_ values: String..., in storage: HTTPCookieStorage) {
    storage.store(setCookieValues: values, from: url)
  }

  private func flush(_ storage: HTTPCookieStorage) async {
    await withCheckedContinuation { done in storage.flush { done.resume() } }
  }

  private func names(_ storage: HTTPCookieStorage) -> [String] { (storage.cookies ?? []).map(\.name) }

  /// Waits until a storage has noticed what others have written.
  private func waits(_ storage: HTTPCookieStorage, for names: [String]) async throws -> Bool {
    try await eventually(timeout: .seconds(20)) { self.names(storage).sorted() == names }
  }

  // MARK: One after another

  @Test func lastingCookiesOutliveTheStorageWithAllThatTheyHave() async throws {
    let first = storage()
    store(
      "a=1; Max-Age=1000; Secure; HttpOnly; SameSite=Lax; Path=/a",
      "b=2; Domain=example.org; Expires=Wed, 01 Jan 2098 00:00:00 GMT",
      "=nameless; Max-Age=1000", "ends=with the session", in: first)
    let properties: [HTTPCookiePropertyKey: Any] = [
      .name: "ü", .value: "ö\t", .domain: ".example.org", .path: "/", .expires: Date(timeIntervalSinceNow: 1000.123456),
      .version: 1,
      .comment: "why", .commentURL: "http://example.org/why", .port: "80,443",
    ]
    first.setCookie(try #require(HTTPCookie(properties: properties)))
    await flush(first)
    let second = storage()
    #expect(second.cookies == first.cookies?.filter { !$0.isSessionOnly })
    #expect(second.cookies?.count == 4)
    #expect(second.cookieHeader(for: url) == "a=1; b=2; nameless; ü=ö\t")
  }

  @Test func octetsThatAreNoUTF8OutliveTheStorage() async throws {
    let first = storage()
    first.store(
      setCookies: [
        OctetText(octets: [UInt8]("b=".utf8) + [0xFF, 0xC3] + "x; Max-Age=1000".utf8),
        OctetText(octets: [UInt8]("c=é; Max-Age=1000".utf8)),
      ], from: url, mainDocumentURL: nil, policy: .always, partition: nil)
    await flush(first)
    let second = storage()
    let field = try #require(second.cookieField(for: url, mainDocumentURL: nil, partition: nil))
    #expect(field.octets == [UInt8]("b=".utf8) + [0xFF, 0xC3] + "x; c=é".utf8)
    #expect(second.cookies == first.cookies && second.cookies?.count == 2)
    let copies = try (second.cookies ?? []).map { try #require(HTTPCookie(properties: $0.properties ?? [:])) }
    #expect(copies == second.cookies)
  }

  @Test func theOrderOfCreationAndOfUseIsKept() async throws {
    let first = storage()
    for index in 0..<CookieStore.siteLimit { store("c\(index)=1; Max-Age=9000; Path=/p\(index)", in: first) }
    // A cookie that is written again keeps its place; one that was used is not evicted first.
    store("c0=2; Max-Age=9000; Path=/p0", in: first)
    await flush(first)
    let second = storage()
    #expect(names(second) == names(first))
    store("new=1; Max-Age=9000", in: second)
    #expect(names(second).contains("c0") && !names(second).contains("c1"))
    await flush(second)
    #expect(names(storage()) == names(second))
  }

  @Test func whatIsReplacedOrRemovedStaysSo() async throws {
    let first = storage()
    store("a=1; Max-Age=1000", "b=1; Max-Age=1000", "c=1; Max-Age=1000", "d=1; Max-Age=1000", in: first)
    await flush(first)
    // One that ends with the session takes the other's place on disk, too.
    store("a=2; Max-Age=1000", "b=2", "c=; Max-Age=0", in: first)
    if let cookie = first.cookies?.first(where: { $0.name == "d" }) { first.deleteCookie(cookie) }
    #expect(names(first) == ["a", "b"])
    await flush(first)
    let second = storage()
    #expect(second.cookies?.map(\.value) == ["2"] && names(second) == ["a"])
  }

  @Test func partitionsAreKeptApart() async throws {
    let first = storage()
    first.store(setCookieValues: ["a=1; Max-Age=1000"], from: url, partition: "p")
    store("a=2; Max-Age=1000", in: first)
    await flush(first)
    let second = storage()
    #expect(second.cookieHeader(for: url, partition: "p") == "a=1")
    #expect(second.cookieHeader(for: url) == "a=2")
    #expect(second.cookieHeader(for: url, partition: "q") == nil)
  }

  @Test func theFileIsItsOwnersAlone() async throws {
    let storage = storage()
    store("a=1; Max-Age=1000", in: storage)
    await flush(storage)
    for (path, mode) in [(file.path, 0o600), (file.path + "-wal", 0o600), (directory.file("data").path, 0o700)] {
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == mode, "\(path)")
    }
  }

  @Test func withoutLastingCookiesThereIsNoFile() async throws {
    let storage = storage()
    #expect(storage.cookieHeader(for: url) == nil)
    store("a=1", in: storage)
    storage.removeCookies(since: .distantPast)
    await flush(storage)
    #expect(!FileManager.default.fileExists(atPath: directory.file("data").path))
  }

  // MARK: At once

  @Test func twoStoragesLoseNoneOfOneAnothersCookies() async throws {
    let (first, second) = (storage(), storage())
    #expect(first.cookies == [] && second.cookies == [])
    for index in 0..<40 {
      store("a\(index)=1; Max-Age=1000", in: first)
      store("b\(index)=1; Max-Age=1000", "shared=\(index); Max-Age=1000", in: second)
      if index % 10 == 0 {
        await flush(first)
        await flush(second)
      }
    }
    await flush(first)
    await flush(second)
    let expected = ((0..<40).flatMap { ["a\($0)", "b\($0)"] } + ["shared"]).sorted()
    #expect(names(storage()).sorted() == expected)
    #expect(try await waits(first, for: expected))
    #expect(try await waits(second, for: expected))
    #expect(first.cookies?.first { $0.name == "shared" }?.value == "39")
  }

  @Test func whatAnotherRemovesGoesAndWhatEndsWithTheSessionStays() async throws {
    let (first, second) = (storage(), storage())
    store("a=1; Max-Age=1000", "b=1; Max-Age=1000", in: first)
    await flush(first)
    store("own=1", in: second)
    #expect(names(second).sorted() == ["a", "b", "own"])
    if let cookie = first.cookies?.first { first.deleteCookie(cookie) }
    await flush(first)
    #expect(try await waits(second, for: ["b", "own"]))
    // What is removed by date goes wherever it is.
    store("c=1; Max-Age=1000", in: first)
    await flush(first)
    second.removeCookies(since: .distantPast)
    await flush(second)
    #expect(names(storage()) == [])
    #expect(try await waits(first, for: []))
  }

  @Test func whatOthersChangeIsNotified() async throws {
    let (first, second) = (storage(), storage())
    #expect(second.cookies == [])
    let isTold = AsyncEvent()
    let observer = NotificationCenter.default.addObserver(
      forName: .NSHTTPCookieManagerCookiesChanged, object: second, queue: nil
    ) { _ in isTold.signal() }
    defer { NotificationCenter.default.removeObserver(observer) }
    store("a=1; Max-Age=1000", in: first)
    await flush(first)
    #expect(try await waits(second, for: ["a"]))
    #expect(await isTold.wait())
  }

  @Test func threadsAndStoragesAtOnceLoseNothing() async throws {
    let storages = (0..<3).map { _ in storage() }
    await withTaskGroup { group in
      for (number, storage) in storages.enumerated() {
        for part in 0..<2 {
          group.addTask {
            for index in 0..<25 {
              store("c\(number)-\(part)-\(index)=1; Max-Age=1000", in: storage)
              if index % 8 == 0 { await flush(storage) }
            }
            await flush(storage)
          }
        }
      }
    }
    #expect(names(storage()).count == 150)
  }

  // MARK: What goes wrong

  @Test func aDamagedFileIsReplaced() async throws {
    try directory.write("data/cookies.sqlite", Data(repeating: 0xAA, count: 10_000))
    let first = storage()
    #expect(first.cookies == [])
    store("a=1; Max-Age=1000", in: first)
    await flush(first)
    #expect(names(storage()) == ["a"])
    #expect(FileManager.default.fileExists(atPath: file.path + ".damaged"))
  }

  @Test func aRemovalOfAllReachesWhatWasPutAside() async throws {
    try directory.write("data/cookies.sqlite", Data(repeating: 0xAA, count: 10_000))
    let first = storage()
    store("a=1; Max-Age=1000", in: first)
    await flush(first)
    first.removeCookies(since: Date(timeIntervalSince1970: 0))
    await flush(first)
    #expect(FileManager.default.fileExists(atPath: file.path + ".damaged"))
    first.removeCookies(since: .distantPast)
    await flush(first)
    #expect(!FileManager.default.fileExists(atPath: file.path + ".damaged"))
  }

  @Test func damageWhileInUseLosesNothingThatIsInMemory() async throws {
    let first = storage()
    store("a=1; Max-Age=1000", in: first)
    await flush(first)
    // In place, as a broken disk does it.
    for suffix in ["", "-wal"] {
      let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: file.path + suffix))
      let count = try handle.seekToEnd()
      try handle.seek(toOffset: 0)
      try handle.write(contentsOf: Data(repeating: 0xAA, count: Int(count)))
      try handle.close()
    }
    store("b=1; Max-Age=1000", in: first)
    await flush(first)
    store("c=1; Max-Age=1000", in: first)
    await flush(first)
    #expect(names(first) == ["a", "b", "c"])
    // Whoever opens it next finds the damage; who has cookies in memory puts them into the new file.
    _ = names(storage())
    store("d=1; Max-Age=1000", in: first)
    await flush(first)
    #expect(names(first) == ["a", "b", "c", "d"])
    #expect(names(storage()).sorted() == ["a", "b", "c", "d"])
  }

  @Test func aFileThatIsDeletedIsMadeAnew() async throws {
    let (first, second) = (storage(), storage())
    store("a=1; Max-Age=1000", in: first)
    await flush(first)
    #expect(names(second) == ["a"])
    for suffix in ["", "-wal", "-shm"] { unlink(file.path + suffix) }
    store("b=1; Max-Age=1000", in: first)
    await flush(first)
    store("c=1; Max-Age=1000", in: second)
    await flush(second)
    #expect(names(storage()).sorted() == ["a", "b", "c"])
  }

  @Test func whereNothingCanBeWrittenCookiesStayInMemory() async throws {
    try directory.write("data", "no directory")
    for storage in [storage(), HTTPCookieStorage(in: nil)] {
      store("a=1; Max-Age=1000", in: storage)
      await flush(storage)
      store("b=1; Max-Age=1000", in: storage)
      await flush(storage)
      #expect(storage.cookieHeader(for: url) == "a=1; b=1")
    }
  }

  @Test func aFileOfANewerVersionIsLeftAlone() async throws {
    let first = storage()
    store("a=1; Max-Age=1000", in: first)
    await flush(first)
    let script = """
      import sqlite3, sys
      database = sqlite3.connect(sys.argv[1])
      database.execute('PRAGMA user_version = 2')
      database.execute(f'PRAGMA application_id = {0x554C0002}')
      """
    try await Command.check(try PackageFolder.python, ["-c", script, file.path])
    let second = storage()
    store("b=1; Max-Age=1000", in: second)
    await flush(second)
    #expect(names(second) == ["b"])
    #expect(!FileManager.default.fileExists(atPath: file.path + ".damaged"))
  }

  // MARK: Sessions

  @Test func aSessionWritesAtFlushAndEmptiesAtReset() async throws {
    let server = try ScriptedServer.http { _ in HTTPResponse(fields: ["Set-Cookie": "a=1; Max-Age=1000"]) }
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpCookieStorage = storage()
    let session = URLSession(configuration: configuration)
    defer { session.invalidateAndCancel() }
    _ = try await session.data(from: server.url())
    await session.flush()
    #expect(names(storage()) == ["a"])
    await session.reset()
    #expect(names(storage()) == [])
  }

  @Test func sharedStoragesHaveTheirFilesWhereTheProgramsDataIs() async throws {
    let identifier = "org.example.group-\(UUID().uuidString)"
    let group = HTTPCookieStorage.sharedCookieStorage(forGroupContainerIdentifier: identifier)
    store("a=1; Max-Age=1000", in: group)
    await flush(group)
    let path = "\(TestEnvironment.directory)/data/url-loading/\(identifier)"
    #expect(names(HTTPCookieStorage(in: path)) == ["a"])
  }
}
