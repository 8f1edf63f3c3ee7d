import Foundation
import Testing

@testable import URLLoading

@Suite struct ProtocolRegistryTests {
  private class Any_: URLProtocol, @unchecked Sendable {
    override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "https" }
  }
  private final class First: Any_, @unchecked Sendable {}
  private final class Second: Any_, @unchecked Sendable {
    override class var capabilities: Capabilities { .schemes("second") }
  }
  private final class Third: Any_, @unchecked Sendable {}

  private func task(_ text: String) throws -> URLSessionTask {
    URLSession.shared.dataTask(with: try #require(URL(string: text)))
  }

  @Test func order() throws {
    let registry = ProtocolRegistry()
    let task = try task("https://example.org")
    #expect(registry.protocolClass(for: task, configured: []) == HTTPProtocol.self)
    #expect(registry.register(First.self))
    #expect(registry.register(Second.self))
    #expect(registry.protocolClass(for: task, configured: []) == Second.self)
    #expect(registry.protocolClass(for: task, configured: [Third.self, First.self]) == Third.self)
    registry.unregister(Second.self)
    #expect(registry.protocolClass(for: task, configured: []) == First.self)
  }

  @Test func registeringTwiceTakesTwoRemovals() throws {
    let registry = ProtocolRegistry()
    let task = try task("https://example.org")
    _ = registry.register(First.self)
    _ = registry.register(First.self)
    registry.unregister(First.self)
    #expect(registry.protocolClass(for: task, configured: []) == First.self)
    registry.unregister(First.self)
    registry.unregister(First.self)
    #expect(registry.protocolClass(for: task, configured: []) == HTTPProtocol.self)
  }

  @Test func refusesOtherClasses() {
    #expect(!ProtocolRegistry().register(NSObject.self))
    #expect(!URLProtocol.registerClass(NSString.self))
  }

  @Test(arguments: ["http://h", "HTTPS://h", "data:,x", "file:///x", "ftp://h/x"])
  func builtIns(url: String) throws {
    #expect(ProtocolRegistry().protocolClass(for: try task(url), configured: []) != nil)
  }

  @Test func errorNamesTheSchemeAndWhatThereIs() throws {
    let registry = ProtocolRegistry()
    let url = try #require(URL(string: "gopher://user:secret@example.org/1"))
    #expect(registry.protocolClass(for: URLSession.shared.dataTask(with: url), configured: []) == nil)
    let error = registry.unsupported(url, configured: [Second.self])
    #expect(error.code == .unsupportedURL)
    let text = error.localizedDescription
    for word in ["\"gopher\"", "http", "https", "ftp", "file", "data", "second"] { #expect(text.contains(word)) }
    #expect(!text.contains("secret"))
    #expect(registry.unsupported(URL(string: "no/scheme"), configured: []).localizedDescription.contains("no scheme"))
    #expect(registry.unsupported(nil, configured: []).code == .unsupportedURL)
  }
}
