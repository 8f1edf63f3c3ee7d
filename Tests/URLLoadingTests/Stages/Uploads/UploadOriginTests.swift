import Foundation
import Testing
import URLLoading
import URLLoadingCurlTransport
import URLLoadingTestServers

/// A server that names a resource of another origin for an upload: the delegate is asked, as about a redirect.
@Suite(.timeLimit(.minutes(2))) struct UploadOriginTests {
  private let body = UploadClient.body(100_000)

  /// A server that announces a resource, and ends the connection, or answers.
  private func announcing(
    _ location: String, _ fields: String = "", answering answer: HTTPResponse? = nil
  ) throws -> ScriptedServer {
    try ScriptedServer { connection in
      guard let request = try connection.readRequestHead() else { return }
      try connection.send(
        "HTTP/1.1 104 Upload Resumption Supported\r\nUpload-Draft-Interop-Version: 8\r\nLocation: \(location)\r\n\(fields)\r\n"
      )
      guard let answer else {
        // In order: a reset would overtake what the client has not read.
        connection.closeWriting()
        _ = connection.waitForPeerClose()
        return
      }
      _ = try connection.readBody(of: request)
      try connection.send(answer)
      _ = connection.waitForPeerClose()
    }
  }

  /// A server that has nothing of an upload, and takes the rest.
  private func taking(_ offset: Int = 0) throws -> (ScriptedServer, Watched<Data>) {
    let taken = Watched(Data())
    let server = try ScriptedServer.http { request in
      guard request.method == "PATCH" else {
        return HTTPResponse(204, fields: ["Upload-Offset": String(offset), "Upload-Complete": "?0"])
      }
      taken.update { $0 += request.body }
      return HTTPResponse(fields: ["Upload-Complete": "?1"], text: "stored elsewhere")
    }
    return (server, taken)
  }

  private func request(_ server: ScriptedServer) -> URLRequest {
    var request = URLRequest(url: server.url("/files"))
    request.httpMethod = "POST"
    request.setValue("Bearer secret", forHTTPHeaderField: "Authorization")
    return request
  }

  /// Ends the session, and waits for all that it has to do.
  private func finish(_ client: UploadClient) async {
    client.session.finishTasksAndInvalidate()
    #expect(await client.delegate.isInvalid.wait())
  }

  /// Since 8.17, libcurl fails a response whose Location differs from that of its interim response.
  private static let comparesInterimLocations: Bool = {
    let version = TransferLibrary.description.dropFirst("libcurl/".count).prefix { $0 != " " }.split(separator: ".")
    return !version.compactMap { Int($0) }.lexicographicallyPrecedes([8, 17])
  }()

  /// A login, or a redirect, in one piece with the announcement: no answer of the delegate's is waited for.
  @Test(arguments: [
    "401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"r\"", "307 Temporary Redirect\r\nLocation: /there",
  ])
  func whatComesRightAfterTheAnnouncementCounts(answer: String) async throws {
    let (other, _) = try taking()
    let place = other.url("/x")
    let count = Watched(0)
    let first = try ScriptedServer { connection in
      while let request = try connection.readRequestHead() {
        let number = count.update { count in
          count += 1
          return count
        }
        if number == 1 {
          try connection.send(
            """
            HTTP/1.1 104 Upload Resumption Supported\r
            Upload-Draft-Interop-Version: 8\r
            Location: \(place.absoluteString)\r
            \r
            HTTP/1.1 \(answer)\r
            Content-Length: 0\r
            \r

            """)
        }
        _ = try connection.readBody(of: request)
        if number > 1 { try connection.send(HTTPResponse(text: "stored")) }
      }
    }
    let client = try UploadClient(UploadDelegate(onRedirect: { $0.url == place ? nil : $0 }))
    var request = request(first)
    var components = try #require(URLComponents(url: first.url("/files"), resolvingAgainstBaseURL: false))
    (components.user, components.password) = ("user", "secret")
    request.url = components.url
    let log = await client.run(client.session.uploadTask(with: request, from: body))
    await finish(client)
    #expect(other.requests.isEmpty)
    if answer.contains("Location"), Self.comparesInterimLocations {
      #expect((log.error as? URLError)?.code == .badServerResponse, "\(log.words)")
      #expect(count.value == 1)
    } else {
      #expect(log.error == nil && String(decoding: log.body, as: UTF8.self) == "stored", "\(log.words)")
      #expect(count.value == 2)
    }
  }

  @Test func aRefusalLeadsNowhere() async throws {
    let (other, _) = try taking()
    let first = try announcing(other.url("/x").absoluteString)
    let client = try UploadClient(UploadDelegate(onRedirect: { _ in nil }))
    let log = await client.run(client.session.uploadTask(with: request(first), from: body))
    #expect(log.code == .networkConnectionLost && log.resumeData == nil, "\(log.words)")
    let asked = try #require(log.redirects.first)
    #expect(log.redirects.count == 1 && asked.response.statusCode == 104 && asked.response.url == first.url("/files"))
    #expect(asked.request.url == other.url("/x") && asked.request.httpMethod == "HEAD")
    #expect(asked.request.value(forHTTPHeaderField: "Authorization") == nil)
    await finish(client)
    #expect(other.requests.isEmpty)
  }

  @Test func anUploadGoesElsewhereWhereTheDelegateSaysSo() async throws {
    let (other, taken) = try taking()
    let first = try announcing(other.url("/x").absoluteString)
    let client = try UploadClient(
      UploadDelegate(onRedirect: {
        var request = $0
        request.setValue("Bearer other", forHTTPHeaderField: "Authorization")
        return request
      }))
    let log = await client.run(client.session.uploadTask(with: request(first), from: body))
    #expect(log.error == nil && String(decoding: log.body, as: UTF8.self) == "stored elsewhere", "\(log.words)")
    #expect(log.redirects.count == 1 && taken.value == body)
    await finish(client)
    #expect(other.requests.map(\.method) == ["HEAD", "PATCH"])
    #expect(other.requests.allSatisfy { $0.fields["Authorization"] == "Bearer other" })
  }

  /// Without anybody to ask an upload stays where it is.
  @Test func nobodyToAskIsARefusal() async throws {
    let (other, _) = try taking()
    let first = try announcing(other.url("/x").absoluteString)
    let configuration = URLSessionConfiguration.ephemeral
    configuration.connectionProxyDictionary = [:]
    let session = URLSession(configuration: configuration)
    let error = await #expect(throws: URLError.self) { try await session.upload(for: request(first), from: body) }
    #expect(error?.code == .networkConnectionLost && error?.userInfo[NSURLSessionUploadTaskResumeData] == nil)
    session.finishTasksAndInvalidate()
    #expect(other.requests.isEmpty)
  }

  /// A limit of its requests stops nothing either: the upload is as one to a server without support.
  @Test func whatARefusedResourceLimitsIsNotLimited() async throws {
    let (other, _) = try taking()
    let first = try announcing(
      other.url("/x").absoluteString, "Upload-Limit: max-append-size=1000\r\n", answering: HTTPResponse(text: "stored"))
    let client = try UploadClient(UploadDelegate(onRedirect: { _ in nil }))
    let log = await client.run(client.session.uploadTask(with: request(first), from: body))
    #expect(log.error == nil && String(decoding: log.body, as: UTF8.self) == "stored", "\(log.words)")
    #expect(other.requests.isEmpty && log.redirects.count == 1)
  }

  @Test func resumeDataOfAnotherOriginsResourceAsksAnew() async throws {
    let (other, _) = try taking()
    let first = try announcing(other.url("/x").absoluteString)
    // The questions are not answered, until no more are asked.
    let silent = try ScriptedServer { connection in _ = try connection.readRequestHead() }
    let consenting = try UploadClient(UploadDelegate(onRedirect: { $0.url == silent.url("/x") ? $0 : nil }))
    let second = try announcing(silent.url("/x").absoluteString)
    let failed = await consenting.run(consenting.session.uploadTask(with: request(second), from: body))
    let data = try #require(failed.resumeData, "\(failed.words)")
    let refusing = try UploadClient(UploadDelegate(onRedirect: { _ in nil }))
    let count = silent.requests.count
    let log = await refusing.run(refusing.session.uploadTask(withResumeData: data))
    #expect(log.error != nil && log.redirects.map(\.request.url) == [silent.url("/x")], "\(log.words)")
    #expect(silent.requests.count == count && other.requests.isEmpty && first.requests.isEmpty)
  }

  // MARK: DELETE

  @Test func anotherOriginGetsNoDelete() async throws {
    // It has more than there is.
    let (other, _) = try taking(1_000_000)
    let first = try announcing(other.url("/x").absoluteString)
    let client = try UploadClient()
    let log = await client.run(client.session.uploadTask(with: request(first), from: body))
    #expect(log.code == .badServerResponse, "\(log.words)")
    await finish(client)
    #expect(other.requests.map(\.method) == ["HEAD"] && first.requests.map(\.method) == ["POST"])
  }

  /// It is not repeated where it is not answered, on a connection that was used before and on another, and follows no redirect.
  @Test(arguments: [false, true]) func aDeleteGoesOutOnce(isRedirected: Bool) async throws {
    let (other, _) = try taking()
    let first = try ScriptedServer { connection in
      while let request = try connection.readRequestHead() {
        switch request.method {
        case "HEAD":
          try connection.send(
            HTTPResponse(204, fields: ["Upload-Offset": "1000000", "Upload-Complete": "?0"]), to: request)
        case "DELETE":
          guard isRedirected else { return }
          try connection.send(.redirect(307, to: other.url("/x").absoluteString))
        default:
          try connection.send("HTTP/1.1 104 x\r\nUpload-Draft-Interop-Version: 8\r\nLocation: /x\r\n\r\n")
          connection.closeWriting()
          _ = connection.waitForPeerClose()
          return
        }
      }
    }
    let client = try UploadClient()
    let log = await client.run(client.session.uploadTask(with: request(first), from: body))
    #expect(log.code == .badServerResponse, "\(log.words)")
    await finish(client)
    #expect(first.requests.map(\.method) == ["POST", "HEAD", "DELETE"])
    #expect(other.requests.isEmpty && log.redirects.isEmpty)
  }
}
