import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// Redirects that are followed: method, body, credentials, cookies, location.
@Suite(.timeLimit(.minutes(4))) struct RedirectTests {
  /// Redirects `/start` with a status to a location; every other path answers with what it got.
  private static func server(_ status: Int, to location: @escaping @Sendable () -> String) throws -> ScriptedServer {
    try .http { request in
      if request.path == "/start" { return .redirect(status, to: location()) }
      let names = ["Content-Type", "Content-Length", "Transfer-Encoding", "Authorization", "Cookie", "X-Custom"]
      let fields = names.map { "\($0)=\(request.fields[$0] ?? "-")" }.joined(separator: ";")
      return HTTPResponse(text: "\(request.method) \(request.target) \(fields) \(request.body.count)")
    }
  }

  private static let body = Data("some body".utf8)

  static let methods: [(status: Int, method: String, expected: String)] = [
    (301, "POST", "GET"), (302, "POST", "GET"), (303, "POST", "GET"), (307, "POST", "POST"), (308, "POST", "POST"),
    (301, "PUT", "PUT"), (302, "DELETE", "DELETE"), (303, "PUT", "GET"), (303, "HEAD", "HEAD"), (301, "HEAD", "HEAD"),
    (307, "PUT", "PUT"), (308, "PATCH", "PATCH"), (303, "GET", "GET"),
  ]

  @Test(arguments: methods)
  func theMethodFollowsRFC9110AndFetch(_ row: (status: Int, method: String, expected: String)) async throws {
    let server = try Self.server(row.status) { "/end" }
    var request = URLRequest(url: server.url("/start"))
    request.httpMethod = row.method
    let hasBody = ["POST", "PUT", "PATCH"].contains(row.method)
    if hasBody {
      request.httpBody = Self.body
      request.setValue("text/x-test", forHTTPHeaderField: "Content-Type")
    }
    let record = await RecordedSession().load(request)
    #expect(record.status == 200)
    let last = try #require(server.requests.last)
    #expect(last.method == row.expected && last.path == "/end")
    // What described the body goes with it.
    let keeps = hasBody && row.method == row.expected
    #expect(last.fields["Content-Type"] == (keeps ? "text/x-test" : nil))
    if row.expected != "HEAD" { #expect(record.text.hasSuffix(keeps ? " 9" : " 0"), "\(record.text)") }
  }

  @Test(arguments: [307, 308], ["data", "file", "stream"])
  func theBodyIsSentAgain(_ status: Int, _ source: String) async throws {
    let server = try Self.server(status) { "/end" }
    let client = RecordedSession(LoadRecorder(onStream: { _ in InputStream(data: Self.body) }))
    var request = URLRequest(url: server.url("/start"))
    request.httpMethod = "POST"
    let folder = try TemporaryDirectory()
    let task =
      switch source {
      case "data": client.session.uploadTask(with: request, from: Self.body)
      case "file": client.session.uploadTask(with: request, fromFile: try folder.write("body", Self.body))
      default: client.session.uploadTask(withStreamedRequest: request)
      }
    let record = await client.run(task)
    #expect(record.text.hasPrefix("POST /end") && record.text.hasSuffix(" 9"), "\(record)")
    #expect(record.redirects.count == 1)
    if source == "stream" { #expect(record.streams == 2) }
  }

  @Test func aBodyStreamWithoutASuccessorIsAnError() async throws {
    let server = try Self.server(307) { "/end" }
    let client = RecordedSession(LoadRecorder(onStream: { $0 == 1 ? InputStream(data: Self.body) : nil }))
    var request = URLRequest(url: server.url("/start"))
    request.httpMethod = "POST"
    let record = await client.run(client.session.uploadTask(withStreamedRequest: request))
    #expect(record.code == .requestBodyStreamExhausted && record.completions == 1)
  }

  @Test(arguments: [
    ("end", "/a/b/end"), ("../end?x=1", "/a/end?x=1"), ("?q", "/a/b/start?q"), ("/end", "/end"),
    ("./x/../end", "/a/b/end"),
    ("#fragment", "/a/b/start"), ("/with space/ü", "/with%20space/%C3%BC"), ("/%41%zz", "/%41%25zz"),
  ])
  func aRelativeLocationResolvesAgainstTheRequest(_ location: String, _ target: String) async throws {
    let server = try ScriptedServer.http { request in
      request.fields["X-Custom"] == nil ? .redirect(to: location) : HTTPResponse(text: request.target)
    }
    let client = RecordedSession(
      LoadRecorder(onRedirect: { _, request in
        var request = request
        request.setValue("seen", forHTTPHeaderField: "X-Custom")
        return request
      }))
    let record = await client.load(server.url("/a/b/start"))
    #expect(record.text == target, "\(String(describing: record.error))")
  }

  @Test(arguments: ["port", "host"])
  func credentialsDoNotGoToAnotherOrigin(_ part: String) async throws {
    let end = try ScriptedServer.http {
      HTTPResponse(
        text: "\($0.fields["Authorization"] ?? "-") \($0.fields["Cookie"] ?? "-") \($0.fields["X-Custom"] ?? "-")")
    }
    let server = try ScriptedServer.http { request in
      request.path == "/start"
        ? .redirect(to: part == "port" ? end.url("/end").absoluteString : "http://localhost:\(end.port)/end")
        : HTTPResponse()
    }
    var request = URLRequest(url: server.url("/start"))
    request.setValue("Bearer secret", forHTTPHeaderField: "Authorization")
    request.setValue("own=1", forHTTPHeaderField: "Cookie")
    request.setValue("kept", forHTTPHeaderField: "X-Custom")
    let record = await RecordedSession().load(request)
    #expect(record.text == "- - kept", "\(String(describing: record.error))")
  }

  @Test func credentialsDoNotGoFromHTTPSToHTTP() async throws {
    let nginx = try await NginxServer.shared
    let target = nginx.url("/echo").absoluteString
    let authority = try await TestCertificates.shared.authority
    let trusting = RecordedSession { $0.certificateAuthorityFile = authority }
    var request = URLRequest(url: nginx.url("/redirect/302?to=\(target)", on: .https))
    request.setValue("Bearer secret", forHTTPHeaderField: "Authorization")
    request.setValue("own=secret", forHTTPHeaderField: "Cookie")
    let record = await trusting.load(request)
    #expect(record.text.contains("authorization: \n"), "\(record)")
    #expect(record.text.contains("\ncookie: \n"), "\(record)")
  }

  @Test func credentialsStayWithinTheOrigin() async throws {
    let server = try Self.server(302) { "/end" }
    var request = URLRequest(url: server.url("/start"))
    request.setValue("Bearer secret", forHTTPHeaderField: "Authorization")
    #expect(await RecordedSession().load(request).text.contains("Authorization=Bearer secret"))
  }

  @Test(arguments: LoadKind.allCases)
  func aRefusedRedirectIsTheResultWithItsBody(_ kind: LoadKind) async throws {
    let server = try ScriptedServer.http { _ in HTTPResponse(302, fields: ["Location": "/end"], text: "see there") }
    let record = await RecordedSession(LoadRecorder(onRedirect: { _, _ in nil })).load(server.url("/start"), as: kind)
    #expect(record.status == 302 && record.text == "see there" && record.error == nil)
    #expect(server.requests.count == 1)
  }

  @Test func theDelegateMayChangeTheRequest() async throws {
    let server = try Self.server(302) { "/end" }
    let client = RecordedSession(
      LoadRecorder(onRedirect: { response, request in
        var request = request
        request.setValue("\(response.statusCode)", forHTTPHeaderField: "X-Custom")
        request.url = request.url?.appending(queryItems: [URLQueryItem(name: "changed", value: "1")])
        return request
      }))
    let record = await client.load(server.url("/start"))
    #expect(record.text.hasPrefix("GET /end?changed=1") && record.text.contains("X-Custom=302"))
  }

  @Test(arguments: LoadKind.allCases)
  func theResponseNamesTheLastURL(_ kind: LoadKind) async throws {
    let nginx = try await NginxServer.shared
    let record = await RecordedSession().load(nginx.url("/redirect/301"), as: kind)
    #expect(record.body == DocumentRoot.small && record.response?.url == nginx.url("/small.txt"))
  }
}
