import AsyncHTTPClient
import Foundation
import Measuring
import NIOCore
import NIOSSL
import _NIOFileSystem

/// Loads URLs with AsyncHTTPClient and says what it took.
@main
struct AsyncHTTPClientBench {
  static func main() {
    Program.run(run)
  }

  private static func run() async throws {
    let work = try Work()
    var configuration = HTTPClient.Configuration()
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = work.connections
    if let authority = ProcessInfo.processInfo.environment["SSL_CERT_FILE"] {
      var tls = TLSConfiguration.makeClientConfiguration()
      tls.trustRoots = .file(authority)
      configuration.tlsConfiguration = tls
    }
    let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    let measurement = Measurement(client: "AsyncHTTPClient", work: work)
    switch work.mode {
    case .get:
      try await measurement.run { number in
        let response = try await client.execute(request(number, of: work), timeout: .minutes(5))
        return try await response.body.collect(upTo: .max).readableBytes
      }
    case .sink:
      try await measurement.run { number in
        let response = try await client.execute(request(number, of: work), timeout: .minutes(5))
        var count = 0
        for try await piece in response.body { count += piece.readableBytes }
        return count
      }
    case .file:
      try await measurement.run { _ in
        let delegate = try FileDownloadDelegate(path: work.path)
        let request = try HTTPClient.Request(url: work.urls[0])
        return try await client.execute(request: request, delegate: delegate).get().receivedBytes
      }
    case .put: try await measurement.run { _ in try await put(work.path, to: work.urls[0], client) }
    case .idle:
      try await measurement.runIdle {
        for number in 0..<work.count {
          Task { try await client.execute(request(number, of: work), timeout: .hours(1)) }
        }
      }
      exit(0)
    case .handler, .loop: throw Work.Misuse(description: "AsyncHTTPClient knows get, sink, file, put and idle")
    }
    try await client.shutdown()
  }

  private static func request(_ number: Int, of work: Work) -> HTTPClientRequest {
    var request = HTTPClientRequest(url: work.urls[number % work.urls.count])
    if let id = work.requestID(number) { request.headers.add(name: "X-Request-ID", value: id) }
    if let json = work.json {
      request.method = .POST
      request.headers.add(name: "Content-Type", value: "application/json")
      request.body = .bytes(json)
    }
    return request
  }

  private static func put(_ path: String, to url: String, _ client: HTTPClient) async throws -> Int {
    try await FileSystem.shared.withFileHandle(forReadingAt: FilePath(path)) { file in
      let size = try await file.info().size
      var request = HTTPClientRequest(url: url)
      request.method = .PUT
      request.body = .stream(file.readChunks(chunkLength: .mebibytes(1)), length: .known(size))
      let response = try await client.execute(request, timeout: .minutes(5))
      _ = try await response.body.collect(upTo: 1 << 20)
      return response.status.code / 100 == 2 ? Int(size) : 0
    }
  }
}
