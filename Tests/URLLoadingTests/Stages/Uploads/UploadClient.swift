import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// A session that uploads to a server, and what its delegate heard.
final class UploadClient: Sendable {
  let delegate: UploadDelegate
  let session: URLSession
  let server: UploadServer

  init(
    _ delegate: UploadDelegate = UploadDelegate(), sessionFields: [String: String] = [:],
    _ script: (inout UploadServer.Script) -> Void = { _ in }
  ) throws {
    self.delegate = delegate
    server = try UploadServer { [isAnnounced = delegate.isAnnounced] made in
      // A reset would overtake what the client has not read.
      made.beforeCut = { _ = isAnnounced.waitBlocking() }
      script(&made)
    }
    let configuration = URLSessionConfiguration.ephemeral
    configuration.connectionProxyDictionary = [:]
    configuration.httpAdditionalHeaders = sessionFields
    session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
  }

  deinit { session.invalidateAndCancel() }

  func request(_ method: String = "POST", _ fields: [String: String] = [:]) -> URLRequest {
    var request = URLRequest(url: server.url())
    request.httpMethod = method
    for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
    return request
  }

  /// Resumes a task of the session, and waits for its end.
  func run(_ task: URLSessionTask) async -> UploadDelegate.Log {
    task.resume()
    return await end()
  }

  func end() async -> UploadDelegate.Log {
    if await !delegate.log.wait(timeout: .seconds(40), until: { $0.isDone }) { Issue.record("no completion") }
    return delegate.log.value
  }

  /// A file with bytes, in a folder that lasts as long as it is held.
  static func file(_ bytes: Data) throws -> (URL, TemporaryDirectory) {
    let folder = try TemporaryDirectory("upload")
    return (try folder.write("body.bin", bytes), folder)
  }

  /// Bytes no two positions of which are easily mistaken for each other.
  static func body(_ count: Int) -> Data { Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }) }
}
