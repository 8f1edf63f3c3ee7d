import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

/// Who waits for tokens of GSS-API, and for what, with a library that takes its time.
@Suite(.timeLimit(.minutes(2))) struct NegotiateTokensTests {
  /// Hosts that are called `silent` have no answer before the gate opens, and none then.
  private let calls = Watched<[String]>([])
  private let gate = AsyncEvent()
  private let outcomes = Watched<[NegotiateTokens.Outcome]>([])

  private func makeTokens() -> NegotiateTokens {
    NegotiateTokens { [calls, gate] host throws(NegotiateLogin.Failure) in
      let number = calls.update { calls in
        calls.append(host)
        return calls.count
      }
      if host.hasPrefix("silent") {
        _ = gate.waitBlocking()
        throw NegotiateLogin.Failure(words: "no KDC")
      }
      return Data("\(host) \(number)".utf8)
    }
  }

  @discardableResult
  private func get(_ host: String, _ tokens: NegotiateTokens) -> NegotiateTokens.Request {
    tokens.get(for: host) { [outcomes] outcome in outcomes.update { $0.append(outcome) } }
  }

  /// The texts of the tokens so far.
  private var texts: [String] {
    outcomes.value.compactMap { outcome in (try? outcome.get()).map { String(decoding: $0, as: UTF8.self) } }
  }

  @Test func aThousandWhoWaitForOneHostShareACallAndItsFailure() async {
    let tokens = makeTokens()
    for _ in 0..<1000 { get("silent", tokens) }
    #expect(await calls.wait { $0 == ["silent"] })
    // Another host's is not held up.
    get("other", tokens)
    #expect(await outcomes.wait { $0.count == 1 })
    #expect(texts == ["other 2"])
    gate.signal()
    #expect(await outcomes.wait { $0.count == 1001 })
    #expect(texts.count == 1 && calls.value == ["silent", "other"])
    // What has failed is tried again for who comes later.
    get("silent", tokens)
    #expect(await outcomes.wait { $0.count == 1002 })
    #expect(calls.value == ["silent", "other", "silent"])
  }

  @Test func everybodyGetsATokenOfTheirOwn() async {
    let tokens = makeTokens()
    for _ in 0..<200 { get("host", tokens) }
    #expect(await outcomes.wait { $0.count == 200 })
    #expect(Set(texts) == Set((1...200).map { "host \($0)" }))
  }

  @Test func whoCancelsIsReleasedWhileTheCallGoesOn() async {
    final class Token: Sendable {}
    let tokens = makeTokens()
    weak var released: Token?
    func add() -> NegotiateTokens.Request {
      let token = Token()
      released = token
      return tokens.get(for: "silent") { [outcomes] outcome in
        withExtendedLifetime(token) { outcomes.update { $0.append(outcome) } }
      }
    }
    let request = add()
    let stays = get("silent", tokens)
    #expect(await calls.wait { $0 == ["silent"] })
    #expect(released != nil)
    tokens.cancel(request)
    #expect(released == nil)
    gate.signal()
    #expect(await outcomes.wait { $0.count == 1 })
    // Too late, and of no effect.
    tokens.cancel(stays)
    tokens.cancel(request)
    #expect(outcomes.value.count == 1)
  }

  @Test func callsAreLimitedAndThoseThatNobodyWaitsForAreNotMade() async {
    let tokens = makeTokens()
    let limit = NegotiateTokens.maximumCallCount
    for index in 0..<limit { get("silent-\(index)", tokens) }
    #expect(await calls.wait { $0.count == limit })
    let left = get("left", tokens)
    get("last", tokens)
    tokens.cancel(left)
    #expect(calls.value.count == limit)
    gate.signal()
    #expect(await outcomes.wait { $0.count == limit + 1 })
    #expect(texts == ["last \(limit + 1)"])
    #expect(calls.value.count == limit + 1 && !calls.value.contains("left"))
  }
}
