import Foundation
import FoundationNetworking

/// Inherits the initialisers.
final class PlainSession: URLSession, @unchecked Sendable {
  var n = 0
}

/// An initialiser of its own, which no class above it has.
final class OwnSession: URLSession, @unchecked Sendable {
  let name: String

  init() {
    name = "none"
    super.init(configuration: .default)
  }

  init(name: String) {
    self.name = name
    super.init(configuration: .ephemeral, delegate: nil, delegateQueue: nil)
  }
}

/// Overrides the initialisers.
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

/// Declares the short functions for itself: FoundationNetworking's have a delegate.
final class ShortSession: URLSession, @unchecked Sendable {
  func data(for request: URLRequest) async throws -> (Data, URLResponse) { (Data("short".utf8), OwnResponse()) }
  func data(from url: URL) async throws -> (Data, URLResponse) { (Data("shorter".utf8), OwnResponse()) }
}

final class OwnConfiguration: URLSessionConfiguration, @unchecked Sendable {
  let name: String

  override init() {
    name = "configuration"
    super.init()
  }
}

final class PlainTask: URLSessionDataTask, @unchecked Sendable {
  var n = 0
}

final class OwnTask: URLSessionDataTask, @unchecked Sendable {
  let name: String
  override var state: URLSessionTask.State {
    get { .completed }
    set {}
  }

  init(name: String) {
    self.name = name
    super.init()
  }
}

final class OwnUpload: URLSessionUploadTask, @unchecked Sendable {
  override init() {}
}

final class OwnDownload: URLSessionDownloadTask, @unchecked Sendable {
  override init() { super.init() }
}

final class OwnSocket: URLSessionWebSocketTask, @unchecked Sendable {
  override init() {}
}

final class OwnProtocol: URLProtocol {
  override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "own" }
  override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
  override func startLoading() {}
  override func stopLoading() {}
}
