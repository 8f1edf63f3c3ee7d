import Foundation
import Testing
import URLLoadingSQLite
import URLLoadingTestServers

@testable import URLLoading

/// What every store does; the disk's with files and without.
@Suite(.timeLimit(.minutes(4))) struct CacheStoreTests {
  enum Kind: String, CaseIterable { case memory, disk }

  /// A store in a directory of its own.
  private struct Place {
    let directory: TemporaryDirectory
    let store: any URLCacheStore

    init(_ kind: Kind, capacity: Int = 10_000_000) throws {
      directory = try TemporaryDirectory()
      store =
        switch kind {
        case .memory: MemoryCacheStore(capacity: capacity)
        case .disk: DiskCacheStore(directory: directory.path, capacity: capacity)
        }
    }
  }

  private func entry(_ key: String, _ fields: [(name: String, value: String)] = []) -> URLCacheEntry {
    let url = URL(string: key) ?? URL(fileURLWithPath: "/")
    return URLCacheEntry(
      key: key, response: HTTPURLResponse(url: url, statusCode: 200, httpVersion: "HTTP/1.1", fields: fields),
      requestDate: Date(timeIntervalSince1970: 1), responseDate: Date(timeIntervalSince1970: 2))
  }

  @discardableResult
  private func put(
    _ body: Data, _ key: String, in store: any URLCacheStore, replacing replaced: [URLCacheEntry] = []
  ) -> URLCacheEntry? {
    var entry = entry(key)
    guard let writer = store.writer(for: entry, expectedLength: -1) else { return nil }
    for start in stride(from: 0, to: body.count, by: 50_000) {
      body[start..<min(start + 50_000, body.count)].withUnsafeBytes { writer.write($0) }
    }
    entry.bodyLength = Int64(body.count)
    writer.finish(entry, replacing: replaced)
    return entry
  }

  private func entries(_ store: any URLCacheStore, _ key: String) async -> [URLCacheEntry] {
    await answer { store.entries(for: key, completionHandler: $0) } ?? []
  }

  private func body(_ store: any URLCacheStore, _ key: String) async -> Data? {
    guard let entry = await entries(store, key).first else { return nil }
    let body: URLCacheBody?? = await answer { store.body(of: entry, completionHandler: $0) }
    return body??.wholeData
  }

  /// By a lock: the thread sanitizer does not see that a continuation, which may be resumed before it is waited for, orders what was written
  /// before.
  private func answer<Answer: Sendable>(_ ask: (@escaping @Sendable (Answer) -> Void) -> Void) async -> Answer? {
    let answer = Watched<Answer?>(nil)
    ask { given in answer.update { $0 = given } }
    _ = await answer.wait { $0 != nil }
    return answer.value
  }

  @Test(arguments: Kind.allCases, [0, 1, 5000, 16 << 10, (16 << 10) + 1, 300_000])
  func whatIsWrittenIsFound(kind: Kind, length: Int) async throws {
    let place = try Place(kind)
    let bytes = Data(TestFiles.pattern(count: length))
    #expect(await body(place.store, "GET http://a/") == nil)
    put(bytes, "GET http://a/", in: place.store)
    #expect(await body(place.store, "GET http://a/") == bytes)
    #expect(await body(place.store, "GET http://a/?") == nil)
    #expect(place.store.usage > length)
    place.store.removeAll(for: "GET http://a/")
    #expect(await body(place.store, "GET http://a/") == nil)
    #expect(place.store.usage == 0)
  }

  @Test(arguments: Kind.allCases)
  func whatIsNotFinishedIsNotFound(kind: Kind) async throws {
    let place = try Place(kind)
    var entry = entry("GET http://a/")
    let bytes = Data(TestFiles.pattern(count: 100_000))
    let writer = try #require(place.store.writer(for: entry, expectedLength: 100_000))
    bytes.withUnsafeBytes { writer.write($0) }
    #expect(await body(place.store, "GET http://a/") == nil)
    writer.cancel()
    entry.bodyLength = 100_000
    writer.finish(entry, replacing: [])
    #expect(await body(place.store, "GET http://a/") == nil)
    let short = try #require(place.store.writer(for: entry, expectedLength: 100_000))
    bytes.dropLast().withUnsafeBytes { short.write($0) }
    short.finish(entry, replacing: [])
    #expect(await body(place.store, "GET http://a/") == nil, "the body is shorter than its entry says")
    let files = (try? FileManager.default.contentsOfDirectory(atPath: place.directory.path + "/bodies")) ?? []
    #expect(files.allSatisfy { $0 == "swept" }, "\(files)")
  }

  @Test(arguments: Kind.allCases)
  func theLeastUsedGoesFirst(kind: Kind) async throws {
    let place = try Place(kind, capacity: 1_000_000)
    for number in 0..<50 { put(Data(TestFiles.pattern(count: 30_000)), "GET http://a/\(number)", in: place.store) }
    #expect(place.store.usage <= 1_000_000)
    #expect(await body(place.store, "GET http://a/49") != nil)
    #expect(await body(place.store, "GET http://a/0") == nil)
    place.store.capacity = 40_000
    #expect(place.store.usage <= 40_000)
  }

  @Test(arguments: Kind.allCases)
  func whatTakesMoreThanTheCapacityIsNotStored(kind: Kind) async throws {
    let place = try Place(kind, capacity: 50_000)
    #expect(place.store.writer(for: entry("GET http://a/"), expectedLength: 50_001) == nil)
    put(Data(TestFiles.pattern(count: 60_000)), "GET http://a/", in: place.store)
    #expect(await body(place.store, "GET http://a/") == nil)
    #expect(place.store.usage == 0)
  }

  @Test(arguments: Kind.allCases)
  func whatIsReplacedGoesAndWhatIsFreshenedStays(kind: Kind) async throws {
    let place = try Place(kind)
    let first = try #require(put(Data("one".utf8), "GET http://a/", in: place.store))
    put(Data("two".utf8), "GET http://a/", in: place.store, replacing: [first])
    #expect(await entries(place.store, "GET http://a/").count == 1)
    #expect(await body(place.store, "GET http://a/") == Data("two".utf8))
    var second = try #require(await entries(place.store, "GET http://a/").first)
    second.responseDate = Date(timeIntervalSince1970: 77)
    place.store.replace(second)
    #expect(await entries(place.store, "GET http://a/").first?.responseDate == second.responseDate)
    #expect(await body(place.store, "GET http://a/") == Data("two".utf8))
  }

  @Test(arguments: Kind.allCases)
  func whatIsNewerThanADateGoes(kind: Kind) async throws {
    let place = try Place(kind)
    put(Data("one".utf8), "GET http://a/", in: place.store)
    place.store.removeAll(since: Date(timeIntervalSinceNow: 60))
    #expect(await body(place.store, "GET http://a/") != nil)
    place.store.removeAll(since: Date(timeIntervalSinceNow: -60))
    #expect(await body(place.store, "GET http://a/") == nil)
  }

  // MARK: The disk alone

  @Test func aSecondStoreHasWhatTheFirstOneKept() async throws {
    let place = try Place(.disk)
    for length in [10, 100_000] {
      put(Data(TestFiles.pattern(count: length)), "GET http://a/\(length)", in: place.store)
    }
    await flush(place.store)
    let second = DiskCacheStore(directory: place.directory.path, capacity: 10_000_000)
    for length in [10, 100_000] { #expect(await body(second, "GET http://a/\(length)")?.count == length) }
  }

  private func flush(_ store: any URLCacheStore) async {
    await withCheckedContinuation { done in store.flush { done.resume() } }
  }

  @Test func whatAnotherProcessStoresIsFoundWithinASecondOrTwo() async throws {
    let place = try Place(.disk)
    #expect(await body(place.store, "GET http://a/") == nil)
    let other = DiskCacheStore(directory: place.directory.path, capacity: 10_000_000)
    put(Data("one".utf8), "GET http://a/", in: other)
    await flush(other)
    let isFound = try await eventually { await body(place.store, "GET http://a/") == Data("one".utf8) }
    #expect(isFound)
  }

  /// A program that stores nothing leaves no file, whatever else it does with its cache.
  @Test func theIndexIsMadeWhenSomethingIsStored() async throws {
    let place = try Place(.disk)
    #expect(await entries(place.store, "GET http://a/").isEmpty)
    place.store.capacity = 9_000_000
    place.store.removeAll(for: "GET http://a/")
    place.store.removeAll(since: nil)
    #expect(place.store.usage == 0)
    await flush(place.store)
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.directory.path).isEmpty)
    put(Data("one".utf8), "GET http://a/", in: place.store)
    #expect(await body(place.store, "GET http://a/") == Data("one".utf8))
    #expect(place.store.usage > 0)
    #expect(FileManager.default.fileExists(atPath: place.directory.file("index.sqlite").path))
  }

  @Test func anIndexThatIsDeletedIsMadeAnew() async throws {
    let place = try Place(.disk)
    put(Data("one".utf8), "GET http://a/", in: place.store)
    await flush(place.store)
    for name in try FileManager.default.contentsOfDirectory(atPath: place.directory.path) {
      try FileManager.default.removeItem(at: place.directory.file(name))
    }
    let isGone = try await eventually { await entries(place.store, "GET http://a/").isEmpty }
    #expect(isGone)
    #expect(place.store.usage == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.directory.path).isEmpty)
    put(Data("two".utf8), "GET http://a/", in: place.store)
    #expect(await body(place.store, "GET http://a/") == Data("two".utf8))
  }

  /// Damage costs entries, and never gives wrong bytes.
  @Test(arguments: 0..<30) func aDamagedIndexIsReplaced(seed: Int) async throws {
    let place = try Place(.disk)
    for number in 0..<40 {
      put(Data(TestFiles.pattern(count: 2000 + number)), "GET http://a/\(number)", in: place.store)
    }
    await flush(place.store)
    var generator = SeededGenerator(seed: UInt64(seed))
    for suffix in ["", "-wal"] {
      let file = URL(fileURLWithPath: place.directory.path + "/index.sqlite" + suffix)
      guard var bytes = try? Data(contentsOf: file), !bytes.isEmpty else { continue }
      for _ in 0..<20 {
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
      }
      try bytes.write(to: file)
    }
    let second = DiskCacheStore(directory: place.directory.path, capacity: 10_000_000)
    for number in 0..<40 {
      guard let found = await body(second, "GET http://a/\(number)") else { continue }
      #expect(found == Data(TestFiles.pattern(count: 2000 + number)))
    }
    put(Data("new".utf8), "GET http://b/", in: second)
    #expect(await body(second, "GET http://b/") == Data("new".utf8))
  }

  @Test(arguments: [0, 50_000]) func aTornBodyCostsItsEntry(length: Int) async throws {
    let place = try Place(.disk)
    let stored = put(Data(TestFiles.pattern(count: 100_000)), "GET http://a/", in: place.store)
    let entry = try #require(stored)
    await flush(place.store)
    #expect(truncate(place.directory.path + "/bodies/" + entry.id, off_t(length)) == 0)
    #expect(await body(place.store, "GET http://a/") == nil)
    #expect(await entries(place.store, "GET http://a/").isEmpty)
  }

  /// An answer for which there is no room is newer than what is stored all the same.
  @Test func whatIsReplacedByABodyWithoutRoomGoes() async throws {
    let place = try Place(.disk)
    let first = try #require(put(Data("one".utf8), "GET http://a/", in: place.store))
    await flush(place.store)
    let bodies = place.directory.file("bodies")
    try FileManager.default.removeItem(at: bodies)
    try Data().write(to: bodies)
    put(Data(TestFiles.pattern(count: 300_000)), "GET http://a/", in: place.store, replacing: [first])
    #expect(await body(place.store, "GET http://a/") == nil)
    #expect(place.store.usage == 0)
  }

  /// As long as another process does not let the index be changed, nothing is found, and what was replaced does not come back.
  @Test func whatIsReplacedByAnEntryThatIsNotStoredGoes() async throws {
    let place = try Place(.disk)
    let first = try #require(put(Data("one".utf8), "GET http://a/", in: place.store))
    await flush(place.store)
    let other = try SQLiteDatabase(path: place.directory.file("index.sqlite").path)
    try other.execute("BEGIN IMMEDIATE")
    put(Data("two".utf8), "GET http://a/", in: place.store, replacing: [first])
    #expect(await body(place.store, "GET http://a/") == nil)
    try other.execute("ROLLBACK")
    #expect(await body(place.store, "GET http://a/") == nil)
    #expect(place.store.usage == 0)
    put(Data("three".utf8), "GET http://a/", in: place.store)
    #expect(await body(place.store, "GET http://a/") == Data("three".utf8))
  }

  /// Where nothing was to go, what is stored is found, as long as another process does not let the index be changed and afterwards.
  @Test func anEntryThatIsNotStoredHidesNoOther() async throws {
    let place = try Place(.disk)
    put(Data("one".utf8), "GET http://a/", in: place.store)
    await flush(place.store)
    let other = try SQLiteDatabase(path: place.directory.file("index.sqlite").path)
    try other.execute("BEGIN IMMEDIATE")
    put(Data("two".utf8), "GET http://b/", in: place.store)
    place.store.capacity = 9_000_000
    await flush(place.store)
    #expect(await body(place.store, "GET http://a/") == Data("one".utf8))
    try other.execute("ROLLBACK")
    #expect(await body(place.store, "GET http://a/") == Data("one".utf8))
    #expect(await body(place.store, "GET http://b/") == nil)
  }

  @Test func whereNothingCanBeWrittenNothingIsFound() async throws {
    let folder = try TemporaryDirectory()
    let file = try folder.write("file", "no directory")
    let store = DiskCacheStore(directory: file.path + "/cache", capacity: 10_000_000)
    put(Data("one".utf8), "GET http://a/", in: store)
    #expect(await body(store, "GET http://a/") == nil)
    #expect(store.usage == 0)
  }

  @Test func theFilesAreTheirOwnersAlone() async throws {
    let place = try Place(.disk)
    let stored = put(Data(TestFiles.pattern(count: 100_000)), "GET http://a/", in: place.store)
    let entry = try #require(stored)
    await flush(place.store)
    for name in ["index.sqlite", "bodies/\(entry.id)"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: "\(place.directory.path)/\(name)")
      #expect((attributes[FileAttributeKey.posixPermissions] as? NSNumber)?.intValue == 0o600, "\(name)")
    }
  }

  // MARK: Entries

  @Test func anArchiveIsReadAsItWasWritten() throws {
    var entry = entry(
      "GET http://a/", [("ETag", "\"ü\""), ("Vary", "A"), ("Set-Cookie", "a=1"), ("Set-Cookie", "b=2")])
    entry.selectingFields = [SelectingField(name: "a", value: nil), SelectingField(name: "b", value: "")]
    entry.userInfo = Data([1, 2])
    entry.bodyLength = 1 << 40
    let archive = entry.archived()
    let read = try #require(URLCacheEntry(archived: archive))
    #expect(read.id == entry.id && read.key == entry.key && read.response == entry.response)
    #expect(read.selectingFields == entry.selectingFields && read.userInfo == entry.userInfo)
    #expect(read.bodyLength == entry.bodyLength && read.responseDate == entry.responseDate)
    #expect((read.response as? HTTPURLResponse)?.setCookieValues == ["a=1", "b=2"])
    for length in 0..<archive.count { #expect(URLCacheEntry(archived: archive.prefix(length)) == nil) }
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<2000 {
      var damaged = archive
      for _ in 0..<3 {
        damaged[Int.random(in: 0..<archive.count, using: &generator)] = .random(in: 0...255, using: &generator)
      }
      // What is read does not matter here, only that reading ends.
      _ = URLCacheEntry(archived: damaged)
    }
  }

  @Test func anArchiveOfAnotherSchemeIsReadAsItWasWritten() throws {
    let response = URLResponse(
      url: try #require(URL(string: "tape:/1")), mimeType: "text/plain", expectedContentLength: 3,
      textEncodingName: "utf-8", contentRange: nil, validators: ResourceValidators(entityTag: "\"1\""))
    let entry = URLCacheEntry(key: "GET tape:/1", response: response, requestDate: Date(), responseDate: Date())
    #expect(URLCacheEntry(archived: entry.archived())?.response == response)
  }
}
