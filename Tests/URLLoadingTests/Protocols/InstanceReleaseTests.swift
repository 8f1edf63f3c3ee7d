import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// Instances are released where no lock of their load is held.
@Suite(.timeLimit(.minutes(4))) struct InstanceReleaseTests {
  /// Uses its task when it is released.
  class Leaving: URLProtocol, @unchecked Sendable {
    static let released = Watched<Set<String>>([])

    override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "leaving" }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
      guard let url = request.url else { return }
      let response = URLResponse(url: url, mimeType: nil, expectedContentLength: 4, textEncodingName: nil)
      client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
      client?.urlProtocol(self, didLoad: Data("four".utf8))
      client?.urlProtocolDidFinishLoading(self)
    }

    override func stopLoading() {}

    deinit {
      guard let task, let path = request.url?.path else { return }
      Self.released.update { $0.insert("\(path) \(task.countOfBytesReceived)") }
    }
  }

  /// Is called on the thread of what calls it.
  final class LeavingAtOnce: Leaving, @unchecked Sendable {
    override class var capabilities: Capabilities { [.nonblocking] }
  }

  @Test(arguments: [Leaving.self, LeavingAtOnce.self], TaskKind.allCases)
  func aTaskMayBeUsedInTheDeinitializer(_ type: Leaving.Type, _ kind: TaskKind) async throws {
    let path = "/\(type)/\(kind)"
    let session = RecordedSession { $0.protocolClasses = [type] }
    let record = await session.load(try #require(URL(string: "leaving://host\(path)")), by: kind)
    #expect(record.error == nil)
    #expect(await Leaving.released.wait { $0.contains("\(path) 4") })
  }
}
