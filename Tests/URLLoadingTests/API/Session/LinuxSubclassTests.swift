import Foundation
import Testing
import URLLoading

/// Subclasses as FoundationNetworking's interface lets them be written, and mocks for Apple's systems have to leave them so. That this file
/// compiles is half of what is tested; `WrittenForLinux` of `Tests/Fixtures/DropInClient` has them all.
@Suite struct LinuxSubclassTests {
  final class PlainSession: URLSession, @unchecked Sendable {
    var n = 0
  }

  final class OwnSession: URLSession, @unchecked Sendable {
    init() { super.init(configuration: .ephemeral) }
    func data(for request: URLRequest) async throws -> (Data, URLResponse) { (Data("own".utf8), URLResponse()) }
  }

  final class OverridingSession: URLSession, @unchecked Sendable {
    let way: String

    override init(configuration: URLSessionConfiguration) {
      way = "configuration"
      super.init(configuration: configuration)
    }

    override init(
      configuration: URLSessionConfiguration, delegate: (any URLSessionDelegate)?, delegateQueue queue: OperationQueue?
    ) {
      way = "delegate"
      super.init(configuration: configuration, delegate: delegate, delegateQueue: queue)
    }
  }

  final class OwnCache: URLCache, @unchecked Sendable {
    init() { super.init(memoryCapacity: 10, diskCapacity: 0, diskPath: nil) }
  }

  final class OwnResponse: URLResponse, @unchecked Sendable {
    init() { super.init() }
    required init?(coder: NSCoder) { nil }
  }

  final class CountedRequest: NSMutableURLRequest {
    var made = 0
    override init(url: URL, cachePolicy: NSURLRequest.CachePolicy, timeoutInterval: TimeInterval) {
      made = 1
      super.init(url: url, cachePolicy: cachePolicy, timeoutInterval: timeoutInterval)
    }
    required init?(coder: NSCoder) { super.init(coder: coder) }
  }

  final class HastyRequest: NSURLRequest {
    override init(url: URL, cachePolicy: NSURLRequest.CachePolicy, timeoutInterval: TimeInterval) {
      super.init(url: url, cachePolicy: cachePolicy, timeoutInterval: 3)
    }
    required init?(coder: NSCoder) { super.init(coder: coder) }
  }

  final class NamedSpace: URLProtectionSpace, @unchecked Sendable {
    let name: String
    init(name: String) {
      self.name = name
      super.init(host: name, port: 1, protocol: nil, realm: nil, authenticationMethod: nil)
    }
  }

  final class NamedCachedResponse: CachedURLResponse, @unchecked Sendable {
    let name: String
    init(name: String) {
      self.name = name
      super.init(response: HTTPURLResponse(), data: Data(name.utf8))
    }
  }

  private let url: URL = "https://example.org/a"

  @Test func sessionsHaveTheInitialisers() async throws {
    #expect(PlainSession(configuration: .default).n == 0 && PlainSession().n == 0)
    #expect(OverridingSession(configuration: .ephemeral).way == "configuration")
    let queue = OperationQueue()
    let session = OverridingSession(configuration: .ephemeral, delegate: nil, delegateQueue: queue)
    #expect(session.way == "delegate" && session.delegateQueue === queue)
    #expect(try await OwnSession().data(for: URLRequest(url: url)).0 == Data("own".utf8))
    #expect(try await PlainSession(configuration: .default).data(from: "data:,plain").0 == Data("plain".utf8))
  }

  @Test func otherObjectsHaveTheInitialisers() throws {
    #expect(OwnCache().memoryCapacity == 10 && OwnResponse().url == nil)
    let request = CountedRequest(url: url)
    #expect(request.made == 1 && request.url == url && request.timeoutInterval == 60)
    #expect(HastyRequest(url: url).timeoutInterval == 3)
    #expect(NamedSpace(name: "a").host == "a" && NamedCachedResponse(name: "b").data == Data("b".utf8))
  }

  @Test func membersBeyondFoundationNetworkingAreAnExtensionsToDeclare() {
    let response = HTTPURLResponse()
    #expect(response.contentRange == "mine" && response.acceptsByteRanges == 1 && response.statusCode == 299)
    #expect((response as URLResponse).contentRange == nil)
  }

  /// The class is archived without a `required` initialiser.
  @Test func archivesOfSpaces() throws {
    let space = URLProtectionSpace(host: "h", port: 1, protocol: "https", realm: "r", authenticationMethod: nil)
    let archive = try NSKeyedArchiver.archivedData(withRootObject: space, requiringSecureCoding: true)
    #expect(try NSKeyedUnarchiver.unarchivedObject(ofClass: URLProtectionSpace.self, from: archive) == space)
  }
}

extension HTTPURLResponse {
  fileprivate convenience init() {
    // swift-format-ignore: NeverForceUnwrap
    self.init(url: URL(fileURLWithPath: "/"), statusCode: 299, httpVersion: nil, headerFields: nil)!
  }

  fileprivate var contentRange: String? { "mine" }
  fileprivate var acceptsByteRanges: Int { 1 }
}
