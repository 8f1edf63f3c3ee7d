import Foundation
import Testing

@testable import URLLoadingCurlTransport

/// A libcurl on another TLS library than the OpenSSL that the package is linked with, whose handshakes cannot be judged.
@Suite struct OtherTLSLibraryTests {
  private func engine(usesLinkedOpenSSL: Bool) -> TransferEngine {
    var configuration = TransferEngineConfiguration()
    configuration.proxy = .direct
    configuration.usesLinkedOpenSSL = usesLinkedOpenSSL
    return TransferEngine(configuration: configuration)
  }

  private func request(_ url: String) -> TransferRequest {
    var request = TransferRequest(url: url)
    request.security = ConnectionSecurity(pool: ConnectionPoolKey())
    return request
  }

  private func secureURL(_ server: ScriptServer) -> String { "https:" + server.url().dropFirst("http:".count) }

  /// Nothing is sent unverified, not even a connection is made, and the words say what is missing.
  @Test func aRequestWhoseServerIsToBeJudgedFails() async throws {
    let server = try ScriptServer { connection, _ in connection.waitForClose() }
    let state = try await engine(usesLinkedOpenSSL: false).run(request(secureURL(server)))
    let failure = try #require(state.failure)
    #expect(failure.urlErrorCode == .secureConnectionFailed)
    #expect(failure.message.contains("need a libcurl that speaks TLS by OpenSSL"), "\(failure.message)")
    #expect(server.connectionCount == 0)
    server.stop()
  }

  /// With the right one it connects, and fails for what the server says.
  @Test func withTheRightLibraryItConnects() async throws {
    let server = try ScriptServer { connection, _ in
      connection.send("HTTP/1.1 400 Bad Request\r\n\r\n")
      connection.waitForClose()
    }
    let state = try await engine(usesLinkedOpenSSL: true).run(request(secureURL(server)))
    let failure = try #require(state.failure)
    #expect(!failure.message.contains("need a libcurl"))
    #expect(server.connectionCount > 0)
    server.stop()
  }

  /// What needs no handshake, and what nobody judges, goes on.
  @Test func plainRequestsGoOn() async throws {
    let server = try ScriptServer { connection, _ in
      while connection.readHead() != nil { connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") }
    }
    let engine = engine(usesLinkedOpenSSL: false)
    #expect(try await engine.run(request(server.url())).head?.statusCode == 200)
    #expect(try await engine.get(server.url()).head?.statusCode == 200)
    server.stop()
  }
}
