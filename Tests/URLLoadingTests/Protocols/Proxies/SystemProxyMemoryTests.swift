import Testing
import URLLoadingBase
import URLLoadingCurlTransport

@testable import URLLoading

@Suite struct SystemProxyMemoryTests {
  private typealias Memory = SystemProxyMemory<String>
  private static let proxy = ProxyServer(host: "p", port: 1)
  private static let start = MonotonicInstant(nanoseconds: 0)

  private func begins(_ action: Memory.Action) -> Int? { if case .begin(let number) = action { number } else { nil } }
  private func waits(_ action: Memory.Action) -> Bool { if case .wait = action { true } else { false } }
  private func answer(_ action: Memory.Action) -> [ProxyServer?]? {
    if case .answer(let proxies) = action { proxies } else { nil }
  }

  @Test func oneQuestionForAllWhoWait() throws {
    var memory = Memory()
    let number = try #require(begins(memory.ask("o", "first", at: Self.start)))
    #expect(waits(memory.ask("o", "second", at: Self.start)))
    #expect(begins(memory.ask("other", "x", at: Self.start)) != nil)
    #expect(memory.answered(number, "o", [Self.proxy], at: Self.start) == ["first", "second"])
    #expect(answer(memory.ask("o", "third", at: Self.start)) == [Self.proxy])
    let later = Self.start.advanced(by: Memory.validity)
    #expect(begins(memory.ask("o", "fourth", at: later)) != nil)
  }

  @Test func whatIsTooSlowIsLeftAlone() throws {
    var memory = Memory()
    let number = try #require(begins(memory.ask("o", "first", at: Self.start)))
    #expect(memory.expired(number, "o", at: Self.start) == ["first"])
    #expect(answer(memory.ask("o", "second", at: Self.start)) == [nil])
    // An answer that comes late ends the pause, and says nothing.
    #expect(memory.answered(number, "o", [Self.proxy], at: Self.start) == [])
    let next = try #require(begins(memory.ask("o", "third", at: Self.start)))
    // A clock that was set for the first question has no say in the next.
    #expect(memory.expired(number, "o", at: Self.start) == [])
    #expect(memory.answered(next, "o", [nil], at: Self.start) == ["third"])
  }

  @Test func thePauseEnds() throws {
    var memory = Memory()
    let number = try #require(begins(memory.ask("o", "first", at: Self.start)))
    _ = memory.expired(number, "o", at: Self.start)
    #expect(begins(memory.ask("o", "second", at: Self.start.advanced(by: Memory.pause))) != nil)
  }

  @Test func theMemoryIsBounded() throws {
    var memory = Memory()
    for index in 0..<1000 {
      let number = try #require(begins(memory.ask("o\(index)", "w", at: Self.start)))
      #expect(memory.answered(number, "o\(index)", [nil], at: Self.start) == ["w"])
    }
    #expect(begins(memory.ask("o0", "w", at: Self.start)) != nil)
    #expect(answer(memory.ask("o999", "w", at: Self.start)) == [nil])
  }

  @Test func whatLibproxySays() {
    #expect(
      SystemProxyList.candidates([
        "http://a:1", "https://b:2", "socks://c:3", "socks5://d:4", "socks4://e:5", "pac+http://f", "x", "direct://",
      ]) == [
        ProxyServer(host: "a", port: 1), ProxyServer(kind: .https, host: "b", port: 2),
        ProxyServer(kind: .socks5h, host: "c", port: 3), ProxyServer(kind: .socks5h, host: "d", port: 4),
        ProxyServer(kind: .socks4a, host: "e", port: 5), nil,
      ])
    #expect(SystemProxyList.candidates([]) == [nil])
    #expect(
      SystemProxyList.candidates(["http://u:p%20@a:1"]) == [ProxyServer(host: "a", port: 1, user: "u", password: "p ")])
  }
}
