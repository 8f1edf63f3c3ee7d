import Testing
import URLLoadingBase
import URLLoadingCurlTransport

@testable import URLLoading

/// The order in which proxies are tried.
@Suite struct ProxyRouteTests {
  private static let a = ProxyServer(host: "a", port: 1)
  private static let b = ProxyServer(host: "b", port: 1)
  private static let start = MonotonicInstant(nanoseconds: 0)

  @Test func oneAfterTheOther() {
    var route = ProxyRoute([Self.a, nil, Self.b])
    #expect(route.choice == .through(Self.a) && route.hasAlternative)
    #expect(route.advance() && route.choice == .direct && route.current == nil)
    #expect(route.advance() && route.current == Self.b && !route.hasAlternative)
    #expect(!route.advance() && route.current == Self.b)
  }

  @Test func nothingMeansDirect() {
    #expect(ProxyRoute([]).choice == .direct)
  }

  @Test func whatWasUnreachableIsTriedLast() {
    var memory = UnreachableProxies()
    #expect(memory.sorted([Self.a, Self.b], at: Self.start) == [Self.a, Self.b])
    memory.record(Self.a, at: Self.start)
    #expect(memory.sorted([Self.a, Self.b], at: Self.start) == [Self.b, Self.a])
    #expect(memory.sorted([Self.a, Self.b, nil], at: Self.start) == [Self.b, Self.a, nil])
    #expect(memory.sorted([Self.a, nil], at: Self.start) == [nil, Self.a])
    #expect(memory.sorted([Self.a], at: Self.start) == [Self.a])
    #expect(memory.sorted([nil], at: Self.start) == [nil])
    let later = Self.start.advanced(by: UnreachableProxies.memory)
    #expect(memory.sorted([Self.a, Self.b], at: later) == [Self.a, Self.b])
  }

  @Test func theMemoryIsBounded() {
    var memory = UnreachableProxies()
    for port in 1...100 { memory.record(ProxyServer(host: "p", port: port), at: Self.start) }
    let first = ProxyServer(host: "p", port: 1)
    let last = ProxyServer(host: "p", port: 100)
    #expect(memory.sorted([first, Self.a], at: Self.start) == [first, Self.a])
    #expect(memory.sorted([last, Self.a], at: Self.start) == [Self.a, last])
  }
}
