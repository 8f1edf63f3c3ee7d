import Foundation
import Testing

@testable import URLLoading

@Suite struct ProtocolRegistryTests {
  private class Any_: URLProtocol, @unchecked Sendable {
    override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "https" }
  }
  private final class First: Any_, @unchecked Sendable {}
  private final class Second: Any_, @unchecked Sendable {
    override class var schemes: [String] { ["second"] }
  }
  private final class Third: Any_, @unchecked Sendable {}

  private func request(_ text: String) throws -> URLRequest { URLRequest(url: try #require(URL(string: text))) }

  @Test func order() throws {
    let registry = ProtocolRegistry()
    let request = try request("https://example.org")
    #expect(registry.protocolClass(for: request, configured: []) == HTTPProtocol.self)
    #expect(registry.register(First.self))
    #expect(registry.register(Second.self))
    #expect(registry.protocolClass(for: request, configured: []) == Second.self)
    #expect(registry.protocolClass(for: request, configured: [Third.self, First.self]) == Third.self)
    #expect(
      registry.custom(of: [Third.self]).map { ObjectIdentifier($0) }
        == [Third.self, Second.self, First.self].map { ObjectIdentifier($0) })
    registry.unregister(Second.self)
    #expect(registry.protocolClass(for: request, configured: []) == First.self)
  }

  @Test func registeringTwiceTakesTwoRemovals() throws {
    let registry = ProtocolRegistry()
    let request = try request("https://example.org")
    _ = registry.register(First.self)
    _ = registry.register(First.self)
    registry.unregister(First.self)
    #expect(registry.protocolClass(for: request, configured: []) == First.self)
    registry.unregister(First.self)
    registry.unregister(First.self)
    #expect(registry.protocolClass(for: request, configured: []) == HTTPProtocol.self)
  }

  @Test func refusesOtherClasses() {
    #expect(!ProtocolRegistry().register(NSObject.self))
    #expect(!URLProtocol.registerClass(NSString.self))
  }

  @Test(arguments: ["http://h", "HTTPS://h", "data:,x", "file:///x", "ftp://h/x"])
  func builtIns(url: String) throws {
    #expect(ProtocolRegistry().protocolClass(for: try request(url), configured: []) != nil)
  }

  @Test func errorNamesTheSchemeAndWhatThereIs() throws {
    let registry = ProtocolRegistry()
    let url = try #require(URL(string: "gopher://user:secret@example.org/1"))
    #expect(registry.protocolClass(for: URLRequest(url: url), configured: []) == nil)
    let error = registry.unsupported(url, configured: [Second.self])
    #expect(error.code == .unsupportedURL)
    let text = error.localizedDescription
    for word in ["\"gopher\"", "http", "https", "ftp", "file", "data", "second"] { #expect(text.contains(word)) }
    #expect(!text.contains("secret"))
    #expect(registry.unsupported(URL(string: "no/scheme"), configured: []).localizedDescription.contains("no scheme"))
    #expect(registry.unsupported(nil, configured: []).code == .badURL)
  }
}
