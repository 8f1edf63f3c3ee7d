import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// Lists numbers: `numbers://COUNT/`.
private final class NumbersProtocol: AsyncURLProtocol, @unchecked Sendable {
  static let produced = Watched<[String: Int]>([:])
  static let cancelled = Watched<Set<String>>([])

  override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "numbers" }
  override class var capabilities: Capabilities { super.capabilities.union([.listing, .schemes("numbers")]) }

  override func load(_ request: URLRequest, to writer: Writer) async throws {
    throw URLError(.fileIsDirectory)
  }

  override func list(_ request: URLRequest, to writer: Writer) async throws {
    guard let url = request.url, let count = url.host().flatMap({ Int($0) }) else { throw URLError(.badURL) }
    var next = 0
    do {
      while next < count {
        let entries = (next..<min(next + 10, count)).compactMap {
          URLDirectoryEntry(name: "\($0)", in: url, kind: .file, size: Int64($0))
        }
        next += entries.count
        let now = next
        Self.produced.update { $0[url.path()] = now }
        try await writer.list(entries)
      }
    } catch is CancellationError {
      Self.cancelled.update { _ = $0.insert(url.path()) }
      throw CancellationError()
    }
    if count == 0 { try await writer.list([]) }
  }
}

/// What the instances of `fake:` do that lists, too.
private final class ListingFake: FakeProtocol, @unchecked Sendable {
  override class var capabilities: Capabilities { [.listing, .schemes("fake")] }
}

@Suite(.timeLimit(.minutes(4))) struct CustomListingTests {
  private let session = URLSession.direct { configuration in
    configuration.protocolClasses = [NumbersProtocol.self, ListingFake.self]
    configuration.maximumBufferedBytesPerTask = 10_000
  }

  private func numbers(_ count: Int) throws -> URL {
    try #require(URL(string: "numbers://\(count)/\(UUID().uuidString)"))
  }

  private func list(_ names: [String], by instance: FakeProtocol) {
    guard let url = instance.request.url else { return }
    instance.reporter?.urlProtocol(
      instance, didList: names.compactMap { URLDirectoryEntry(name: $0, in: url, kind: .file) })
  }

  // MARK: Both ways to write a class

  @Test(arguments: [0, 1, 10, 1234]) func anAsyncClassLists(count: Int) async throws {
    let url = try numbers(count)
    let entries = try await session.allEntries(at: url)
    #expect(entries.map(\.name) == (0..<count).map { "\($0)" })
    #expect(entries.last?.url.absoluteString == (count > 0 ? "\(url.absoluteString)/\(count - 1)" : nil))
  }

  @Test func aClassOfApplesKindLists() async throws {
    let fake = Fake { instance in
      instance.respond()
      list(["a"], by: instance)
      list([], by: instance)
      list(["b", "c"], by: instance)
      instance.finish()
    }
    #expect(try await session.allEntries(at: fake.url("/d")).map(\.name) == ["a", "b", "c"])
    #expect(await fake.waitForStops())
    #expect(fake.seen.value.listings == [true])
  }

  @Test func iteratorsListAnewAndEndForGood() async throws {
    let entries = session.entries(at: try numbers(3))
    for _ in 0..<2 {
      var iterator = entries.makeAsyncIterator()
      for name in ["0", "1", "2"] { #expect(try await iterator.next()?.name == name) }
      for _ in 0..<3 { #expect(try await iterator.next() == nil) }
    }
  }

  @Test func onlyAListingIsOne() async throws {
    let fake = Fake(["x"])
    var request = URLRequest(url: fake.url())
    _ = try await session.data(for: request)
    #expect(fake.seen.value.listings == [false])
    let listed = Fake { instance in
      instance.respond()
      instance.finish()
    }
    #expect(try await session.allEntries(at: listed.url()).isEmpty)
    request = try #require(listed.seen.value.requests.first)
    #expect(listed.seen.value.listings == [true])
    // What a class got for a listing and loads elsewhere is a load.
    request.url = fake.url()
    #expect(try await session.data(for: request).0 == Data("x".utf8))
    #expect(fake.seen.value.listings == [false, false])
  }

  @Test func theTaskIsOneOfTheSessions() async throws {
    let go = AsyncEvent()
    let fake = Fake { instance in
      instance.respond()
      list(["a"], by: instance)
      _ = go.waitBlocking()
      instance.finish()
    }
    var iterator = session.entries(at: fake.url()).makeAsyncIterator()
    #expect(try await iterator.next()?.name == "a")
    let tasks = await session.tasks.0
    #expect(tasks.map { $0.originalRequest?.url } == [fake.url()])
    go.signal()
    #expect(try await iterator.next() == nil)
    #expect(try await eventually { await session.allTasks.isEmpty })
  }

  // MARK: Flow

  @Test func aSlowReaderHoldsTheClassBack() async throws {
    let count = 20_000
    let url = try numbers(count)
    var seen = 0
    var furthest = 0
    for try await entry in session.entries(at: url) {
      #expect(entry.name == "\(seen)")
      seen += 1
      if seen % 500 == 0 { await Task.yield() }
      furthest = max(furthest, NumbersProtocol.produced.read { $0[url.path()] ?? 0 } - seen)
    }
    #expect(seen == count)
    // 10,000 bytes hold some 80 entries; as many are with the reader, and some are on their way.
    #expect(furthest < 400)
  }

  @Test func aReaderThatStandsStillPausesTheInstance() async throws {
    final class Patient: FakeProtocol, @unchecked Sendable {
      override class var capabilities: Capabilities { [.listing, .nonblocking] }
    }
    let session = URLSession.direct { configuration in
      configuration.protocolClasses = [Patient.self]
      configuration.maximumBufferedBytesPerTask = 10_000
    }
    let started = Watched<FakeProtocol?>(nil)
    let fake = Fake { instance in
      instance.respond()
      for number in 0..<200 { list(["\(number)"], by: instance) }
      started.update { $0 = instance }
    }
    var iterator = session.entries(at: fake.url()).makeAsyncIterator()
    #expect(try await iterator.next()?.name == "0")
    #expect(await fake.seen.wait { $0.pauses == 1 })
    for number in 1..<200 { #expect(try await iterator.next()?.name == "\(number)") }
    #expect(await fake.seen.wait { $0.resumes == 1 })
    started.value?.finish()
    #expect(try await iterator.next() == nil)
  }

  @Test func aBlockingClassWaitsForItsReader() async throws {
    let sent = Watched(0)
    let fake = Fake { instance in
      instance.respond()
      for number in 0..<5000 {
        list(["\(number)"], by: instance)
        sent.update { $0 += 1 }
      }
      instance.finish()
    }
    var seen = 0
    var furthest = 0
    for try await entry in session.entries(at: fake.url()) {
      #expect(entry.name == "\(seen)")
      seen += 1
      furthest = max(furthest, sent.value - seen)
    }
    #expect(seen == 5000)
    #expect(furthest < 400)
  }

  // MARK: Cancelling

  @Test func cancellingTheTaskCancelsTheLoad() async throws {
    let url = try numbers(1_000_000)
    let begun = AsyncEvent()
    let session = session
    let listing = Task {
      var seen = 0
      for try await _ in session.entries(at: url) {
        seen += 1
        begun.signal()
      }
      return seen
    }
    #expect(await begun.wait())
    listing.cancel()
    let error = await #expect(throws: URLError.self) { try await listing.value }
    #expect(error?.code == .cancelled)
    #expect(await NumbersProtocol.cancelled.wait { $0.contains(url.path()) })
    #expect(try await eventually { await session.allTasks.isEmpty })
  }

  @Test func aTaskThatIsCancelledAlreadyGetsNothing() async throws {
    let url = try numbers(10)
    let session = session
    let listing = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await session.allEntries(at: url)
    }
    listing.cancel()
    let error = await #expect(throws: URLError.self) { try await listing.value }
    #expect(error?.code == .cancelled)
  }

  @Test func leavingTheLoopCancelsTheLoad() async throws {
    let url = try numbers(1_000_000)
    for try await entry in session.entries(at: url) where entry.name == "25" { break }
    #expect(await NumbersProtocol.cancelled.wait { $0.contains(url.path()) })
    #expect(try await eventually { await session.allTasks.isEmpty })
  }

  @Test func invalidatingTheSessionEndsTheListing() async throws {
    var iterator = session.entries(at: try numbers(1_000_000)).makeAsyncIterator()
    #expect(try await iterator.next()?.name == "0")
    session.invalidateAndCancel()
    await #expect(throws: URLError.self) { while try await iterator.next() != nil {} }
    #expect(try await iterator.next() == nil)
    await #expect(throws: URLError.self) { try await session.allEntries(at: numbers(1)) }
  }
}
