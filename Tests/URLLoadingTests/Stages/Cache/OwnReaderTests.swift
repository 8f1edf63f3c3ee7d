import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

/// Stores of the program's own, whose bodies are read piece by piece.
@Suite(.timeLimit(.minutes(2))) struct OwnReaderTests {
  private let exchange: CacheExchange

  init() throws { exchange = try CacheExchange(.memory, CacheExchange.numbered(["Cache-Control": "max-age=600"])) }

  private func session(_ store: ReaderStore) -> URLSession {
    URLSession(configuration: CacheExchange.configuration(URLCache(store: store, memoryCapacity: 0)))
  }

  private func load(_ session: URLSession) async throws -> String {
    String(decoding: try await session.data(from: exchange.server.url("/")).0, as: UTF8.self)
  }

  /// A session with a stored response whose body has become unreadable.
  private func damaged(checks: Bool) async throws -> (session: URLSession, store: ReaderStore) {
    let store = ReaderStore(checks: checks)
    let session = session(store)
    #expect(try await load(session) == "1")
    store.isDamaged.update { $0 = true }
    return (session, store)
  }

  @Test(arguments: [true, false]) func whatCanBeReadIsDelivered(checks: Bool) async throws {
    let session = session(ReaderStore(checks: checks))
    for _ in 0..<3 { #expect(try await load(session) == "1") }
    #expect(exchange.requests.count == 1)
    session.invalidateAndCancel()
  }

  /// The entry goes: the load would find it again.
  @Test func damageThatIsFoundAheadHasTheLoadTurnToTheSource() async throws {
    let (session, store) = try await damaged(checks: true)
    #expect(try await load(session) == "2")
    store.isDamaged.update { $0 = false }
    #expect(try await load(session) == "2")
    #expect(exchange.requests.count == 2)
    session.invalidateAndCancel()
  }

  @Test func damageThatIsFoundTooLateFailsTheLoad() async throws {
    let session = try await damaged(checks: false).session
    let error = await #expect(throws: URLError.self) { try await load(session) }
    #expect(error?.code == .networkConnectionLost)
    #expect(error?.userInfo[NSUnderlyingErrorKey] is ReaderStore.Damage)
    session.invalidateAndCancel()
  }
}
