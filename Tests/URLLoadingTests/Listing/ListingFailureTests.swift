import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

private final class ListingFake: FakeProtocol, @unchecked Sendable {
  override class var capabilities: Capabilities { [.listing, .schemes("fake")] }
}

/// What protocol classes do that they may not, and what the way of a load has besides.
@Suite(.timeLimit(.minutes(4))) struct ListingFailureTests {
  private let session = URLSession.direct { $0.protocolClasses = [ListingFake.self] }

  private func entries(_ names: String..., of instance: FakeProtocol) -> [URLDirectoryEntry] {
    guard let url = instance.request.url else { return [] }
    return names.compactMap { URLDirectoryEntry(name: $0, in: url, kind: .file) }
  }

  private func list(_ name: String, by instance: FakeProtocol) {
    instance.reporter?.urlProtocol(instance, didList: entries(name, of: instance))
  }

  private func error(
    _ start: @escaping @Sendable (FakeProtocol) -> Void
  ) async -> (names: [String], error: URLError?) {
    let (entries, error) = await session.brokenEntries(at: Fake(start).url())
    return (entries.map(\.name), error as? URLError)
  }

  @Test func aClassThatCannotListIsNotAsked() async throws {
    let plain = URLSession.direct { $0.protocolClasses = [FakeProtocol.self] }
    let fake = Fake(["x"])
    for (url, scheme) in [
      (fake.url(), "fake"), (try #require(URL(string: "http://127.0.0.1:1/")), "http"),
      (try #require(URL(string: "data:,x")), "data"),
    ] {
      let error = await plain.brokenEntries(at: url).error as? URLError
      #expect(error?.code == .unsupportedURL)
      let words = error?.localizedDescription ?? ""
      #expect(words.contains("\"\(scheme)\"") && words.contains("available are file, ftp, ftps."), "\(words)")
    }
    #expect(fake.seen.value.requests.isEmpty)
    let nobody = await plain.brokenEntries(at: try #require(URL(string: "nothing://x"))).error as? URLError
    #expect(nobody?.code == .unsupportedURL && nobody?.localizedDescription.contains("\"nothing\"") == true)
  }

  @Test func dataIsNoListing() async throws {
    let (names, error) = await error { instance in
      instance.respond()
      list("a", by: instance)
      instance.send(Data("x".utf8))
      list("b", by: instance)
      instance.finish()
    }
    #expect(names == ["a"] && error?.code == .badServerResponse)
    #expect(error?.localizedDescription.contains("data") == true)
  }

  @Test func aListingIsNoData() async throws {
    let fake = Fake { instance in
      instance.respond()
      instance.send(Data("x".utf8))
      list("a", by: instance)
      instance.finish()
    }
    let error = try await #require(throws: URLError.self) { try await session.data(from: fake.url()) }
    #expect(error.code == .badServerResponse && error.localizedDescription.contains("listed"))
  }

  @Test func entriesBeforeAResponseFail() async throws {
    let (names, error) = await error { instance in
      list("a", by: instance)
      instance.respond()
      instance.finish()
    }
    #expect(names.isEmpty && error?.code == .badServerResponse)
  }

  @Test func entriesAfterTheEndAreNotLookedAt() async throws {
    let (names, error) = await error { instance in
      instance.respond()
      list("a", by: instance)
      instance.finish()
      list("b", by: instance)
      instance.finish()
    }
    #expect(names == ["a"] && error == nil)
  }

  @Test func aFailureComesBehindTheEntries() async throws {
    let (names, error) = await error { instance in
      instance.respond()
      list("a", by: instance)
      instance.fail(URLError(.networkConnectionLost))
    }
    #expect(names == ["a"] && error?.code == .networkConnectionLost)
  }

  @Test func aRedirectIsFollowedAsAListing() async throws {
    let target = Fake { instance in
      instance.respond()
      list("b", by: instance)
      instance.finish()
    }
    let source = Fake { $0.redirect(to: target.url()) }
    #expect(try await session.allEntries(at: source.url()).map(\.name) == ["b"])
    #expect(target.seen.value.listings == [true])
  }

  @Test(arguments: [false, true]) func aRedirectThatIsRefusedListsNothing(bodyFollows: Bool) async throws {
    let recorder = LoadRecorder(onRedirect: { _, _ in nil })
    let source = Fake { instance in
      instance.redirect(to: URL(fileURLWithPath: "/"), bodyFollows: bodyFollows)
      if bodyFollows {
        instance.respond()
        instance.finish()
      }
    }
    let error = try await #require(throws: URLError.self) {
      for try await _ in session.entries(at: source.url(), delegate: recorder) {}
    }
    #expect(error.code == .resourceUnavailable)
  }

  @Test func aRedirectDoesNotLeadToLocalDirectories() async throws {
    let (names, error) = await error { $0.redirect(to: URL(fileURLWithPath: "/")) }
    #expect(names.isEmpty && error?.code == .unsupportedURL)
  }

  @Test func theRequestTimeoutHolds() async throws {
    let fake = Fake { instance in
      instance.respond()
      list("a", by: instance)
    }
    var request = URLRequest(url: fake.url())
    request.timeoutInterval = 0.2
    var names: [String] = []
    let error = try await #require(throws: URLError.self) {
      for try await entry in session.entries(at: request) { names.append(entry.name) }
    }
    #expect(names == ["a"] && error.code == .timedOut)
  }

  @Test func aDelegateIsToldOfMetrics() async throws {
    let recorded = RecordedSession { $0.protocolClasses = [ListingFake.self] }
    let fake = Fake { instance in
      instance.respond()
      list("a", by: instance)
      instance.finish()
    }
    #expect(try await recorded.session.allEntries(at: fake.url()).map(\.name) == ["a"])
    #expect(await recorded.recorder.records.wait { $0.values.contains { $0.metrics != nil } })
  }
}
