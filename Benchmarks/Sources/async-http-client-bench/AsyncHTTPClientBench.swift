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
    let url = work.url
    switch work.mode {
    case .get:
      try await measurement.run { _ in
        let response = try await client.execute(HTTPClientRequest(url: url), timeout: .minutes(5))
        return try await response.body.collect(upTo: .max).readableBytes
      }
    case .sink:
      try await measurement.run { _ in
        let response = try await client.execute(HTTPClientRequest(url: url), timeout: .minutes(5))
        var count = 0
        for try await piece in response.body { count += piece.readableBytes }
        return count
      }
    case .file:
      try await measurement.run { _ in
        let delegate = try FileDownloadDelegate(path: work.path)
        let request = try HTTPClient.Request(url: url)
        return try await client.execute(request: request, delegate: delegate).get().receivedBytes
      }
    case .put: try await measurement.run { _ in try await put(work.path, to: url, client) }
    case .idle:
      try await measurement.runIdle {
        for _ in 0..<work.count {
          Task { try await client.execute(HTTPClientRequest(url: url), timeout: .hours(1)) }
        }
      }
      exit(0)
    case .handler: throw Work.Misuse(description: "AsyncHTTPClient has no completion handlers")
    }
    try await client.shutdown()
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
