import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// Credentials of a resumed download: there in the process that began it, and named where they are missed.
@Suite(.timeLimit(.minutes(4))) struct ResumeCredentialsTests {
  private static let body = TestFiles.pattern(count: 200_000, seed: 22)
  private static let stop = 70_001
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory("credentials")
  }

  /// A server that refuses requests that `isAllowed` does not let in, and breaks off the first one that it does.
  private func server(
    refusal: HTTPResponse, isAllowed: @escaping @Sendable (HTTPRequest) -> Bool
  ) throws -> ScriptedServer {
    let isFirst = Watched(true)
    return try ScriptedServer { connection in
      guard let request = try connection.readRequest() else { return }
      guard isAllowed(request) else { return try connection.send(refusal) }
      if isFirst.update({ first in
        defer { first = false }; return first
      }) {
        try connection.send(
          "HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nAccept-Ranges: bytes\r\nContent-Length: \(Self.body.count)\r\n\r\n")
        return try connection.send(Self.body.prefix(Self.stop))
      }
      let start = request.fields["Range"].flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0
      let fields: HTTPFields = [
        "Content-Range": "bytes \(start)-\(Self.body.count - 1)/\(Self.body.count)", "ETag": "\"v1\"",
      ]
      try connection.send(HTTPResponse(206, fields: fields, body: Self.body.dropFirst(start)))
    }
  }

  private func interrupt(_ request: URLRequest) async throws -> Data {
    let session = URLSession(configuration: .ephemeral)
    defer { session.invalidateAndCancel() }
    let error = try await #require(throws: URLError.self) { try await session.download(for: request) }
    return try #require(error.userInfo[NSURLSessionDownloadTaskResumeData] as? Data)
  }

  /// Resume data as another process finds it: what its key leads to is not there.
  private func elsewhere(_ data: Data) throws -> Data {
    try Downloads.changing(data) { $0["key"] = String(repeating: "0", count: 32) }
  }

  @Test func theSameProcessSendsTheFieldsAgain() async throws {
    let server = try server(refusal: HTTPResponse(403, text: "no")) { $0.fields["X-Api-Key"] == "hunter2" }
    var request = URLRequest(url: server.url("/file"))
    request.setValue("hunter2", forHTTPHeaderField: "X-Api-Key")
    request.setValue("yes", forHTTPHeaderField: "X-Plain")
    let data = try await interrupt(request)
    #expect(data.range(of: Data("hunter2".utf8)) == nil)
    let log = try await Downloads.resume(data, in: directory)
    #expect(log.error == nil)
    #expect(try difference(Data(contentsOf: #require(log.file)), from: Self.body) == nil)
    #expect(server.requests.map { $0.fields["X-Plain"] } == ["yes", "yes"])
  }

  @Test(arguments: [401, 403, 407]) func anotherProcessIsToldWhichFieldIsMissing(status: Int) async throws {
    let server = try server(refusal: HTTPResponse(status, text: "no")) { $0.fields["X-Api-Key"] == "hunter2" }
    var request = URLRequest(url: server.url("/file"))
    request.setValue("hunter2", forHTTPHeaderField: "X-Api-Key")
    var data = try await elsewhere(interrupt(request))
    for _ in 0..<2 {
      let log = try await Downloads.resume(data, in: directory)
      let error = try #require(log.error)
      #expect(error.code == .userAuthenticationRequired)
      #expect(error.localizedDescription.contains("X-Api-Key"), "\(error.localizedDescription)")
      #expect(error.failingURL == server.url("/file"))
      #expect(log.file == nil)
      // What came is not lost, nor is the name.
      data = try #require(error.userInfo[NSURLSessionDownloadTaskResumeData] as? Data)
      #expect(try difference(Data(contentsOf: Downloads.partialFile(data)), from: Self.body.prefix(Self.stop)) == nil)
    }
    unlink(try Downloads.partialFile(data).path)
  }

  @Test func anotherProcessGoesOnWhereTheServerDoesNotMind() async throws {
    let server = try server(refusal: HTTPResponse(403, text: "no")) { _ in true }
    var request = URLRequest(url: server.url("/file"))
    request.setValue("hunter2", forHTTPHeaderField: "Private-Token")
    let log = try await Downloads.resume(elsewhere(interrupt(request)), in: directory)
    #expect(log.error == nil)
    #expect(log.resumed.first?.first == Int64(Self.stop))
    #expect(try difference(Data(contentsOf: #require(log.file)), from: Self.body) == nil)
  }

  private static let wantsLogin = HTTPResponse(401, fields: ["WWW-Authenticate": "Basic realm=\"r\""], text: "no")

  private func requestWithUser(_ server: ScriptedServer) throws -> URLRequest {
    var components = try #require(URLComponents(url: server.url("/file"), resolvingAgainstBaseURL: true))
    (components.user, components.password) = ("me", "hunter2")
    return URLRequest(url: try #require(components.url))
  }

  @Test func theUserOfTheURLIsFoundAgainInTheSameProcess() async throws {
    let login = "Basic " + Data("me:hunter2".utf8).base64EncodedString()
    let server = try server(refusal: Self.wantsLogin) { $0.fields["Authorization"] == login }
    let data = try await interrupt(requestWithUser(server))
    #expect(data.range(of: Data("hunter2".utf8)) == nil)
    let log = try await Downloads.resume(data, in: directory)
    #expect(log.error == nil)
    #expect(try difference(Data(contentsOf: #require(log.file)), from: Self.body) == nil)
  }

  @Test func aStoredCredentialAnswersInAnotherProcess() async throws {
    let login = "Basic " + Data("me:hunter2".utf8).base64EncodedString()
    let server = try server(refusal: Self.wantsLogin) { $0.fields["Authorization"] == login }
    let data = try await elsewhere(interrupt(requestWithUser(server)))
    let refused = try await Downloads.resume(data, in: directory)
    let error = try #require(refused.error)
    #expect(error.code == .userAuthenticationRequired)
    #expect(error.localizedDescription.contains("user and password"), "\(error.localizedDescription)")
    let configuration = URLSessionConfiguration.ephemeral
    let space = URLProtectionSpace(
      host: "127.0.0.1", port: server.url().port ?? 0, protocol: "http", realm: "r",
      authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
    configuration.urlCredentialStorage?.setDefaultCredential(
      URLCredential(user: "me", password: "hunter2", persistence: .forSession), for: space)
    let log = try await Downloads.resume(data, in: directory, configuration: configuration)
    #expect(log.error == nil)
    #expect(try difference(Data(contentsOf: #require(log.file)), from: Self.body) == nil)
  }
}
