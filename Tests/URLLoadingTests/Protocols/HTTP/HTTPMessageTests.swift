import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// What is said about messages: fields, trailers, framing, informational responses, addresses.
@Suite(.timeLimit(.minutes(4))) struct HTTPMessageTests {
  @Test(arguments: LoadKind.allCases)
  func trailersAreAccepted(_ kind: LoadKind) async throws {
    let server = try ScriptedServer { connection in
      while let request = try connection.readRequest() {
        try connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n")
        try connection.sendChunk(Data(request.path.utf8))
        try connection.send("0\r\nX-Sum: 1\r\nX-Other:2\r\n\r\n")
      }
    }
    let client = RecordedSession()
    for path in ["/one", "/two"] {
      let record = await client.load(server.url(path), as: kind)
      #expect(record.text == path && record.error == nil)
    }
    #expect(server.connectionCount == 1)
  }

  @Test func aFieldWithoutASpaceIsAccepted() async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readRequest()
      try connection.send("HTTP/1.1 200 OK\r\nX-Foo:bar\r\nX-Empty:\r\nX-Tab:\tbar\t\r\nContent-Length:2\r\n\r\nok")
    }
    let record = await RecordedSession().load(server.url())
    #expect(record.text == "ok" && record.http?.value(forHTTPHeaderField: "x-foo") == "bar")
    #expect(record.http?.value(forHTTPHeaderField: "X-Empty")?.isEmpty == true)
    #expect(record.http?.value(forHTTPHeaderField: "X-Tab") == "bar")
  }

  @Test func repeatedFieldsAreJoinedAndSetCookieKeptApart() async throws {
    let server = try ScriptedServer.http { _ in
      HTTPResponse(fields: [
        "X-A": "1", "x-a": "2", "Set-Cookie": "a=1; Expires=Wed, 01 Jan 2098 00:00:00 GMT", "set-cookie": "b=2",
      ])
    }
    let client = RecordedSession()
    let record = await client.load(server.url())
    #expect(record.http?.value(forHTTPHeaderField: "X-A") == "1, 2")
    #expect(client.session.configuration.httpCookieStorage?.cookies?.map(\.name) == ["a", "b"])
  }

  @Test(.enabled(if: FreePort.hasIPv6), arguments: LoadKind.allCases)
  func ipv6LiteralsWork(_ kind: LoadKind) async throws {
    let nginx = try await NginxServer.shared
    let record = await RecordedSession().load(nginx.url(on: .httpIPv6), as: kind)
    #expect(record.body == DocumentRoot.small)
    let echo = await RecordedSession().load(nginx.url("/echo", on: .httpIPv6), as: kind)
    #expect(echo.text.contains("host: [::1]:\(nginx.port(.httpIPv6))\n"))
  }

  enum Body: String, CaseIterable, Sendable { case none, data, emptyData, file, stream, streamWithLength }

  @Test(arguments: Body.allCases)
  func aRequestHasOneOfContentLengthAndChunked(_ kind: Body) async throws {
    let server = try ScriptedServer.http { HTTPResponse(body: $0.body) }
    let body = Data("0123456789".utf8)
    let folder = try TemporaryDirectory()
    let client = RecordedSession(LoadRecorder(onStream: { _ in InputStream(data: body) }))
    var request = URLRequest(url: server.url())
    request.httpMethod = "POST"
    let task: URLSessionTask
    switch kind {
    case .none: task = client.session.dataTask(with: request)
    case .data: task = client.session.uploadTask(with: request, from: body)
    case .emptyData: task = client.session.uploadTask(with: request, from: Data())
    case .file: task = client.session.uploadTask(with: request, fromFile: try folder.write("body", body))
    case .stream: task = client.session.uploadTask(withStreamedRequest: request)
    case .streamWithLength:
      request.setValue("10", forHTTPHeaderField: "Content-Length")
      task = client.session.uploadTask(withStreamedRequest: request)
    }
    let record = await client.run(task)
    let sent = try #require(server.requests.first)
    #expect(
      record.error == nil && sent.fields.all("Content-Length").count + sent.fields.all("Transfer-Encoding").count <= 1)
    #expect(sent.isChunked == (kind == .stream))
    let length = [.none: "0", .emptyData: "0", .stream: nil][kind] ?? "10"
    #expect(sent.fields["Content-Length"] == length, "\(kind)")
    // A body without a type is taken for a form's.
    let type = kind == .none || kind == .emptyData ? nil : "application/x-www-form-urlencoded"
    #expect(sent.fields["Content-Type"] == type, "\(kind)")
    #expect(record.body == (kind == .none || kind == .emptyData ? Data() : body))
  }

  @Test func aWrongContentLengthOfTheCallerIsNotSent() async throws {
    let server = try ScriptedServer.http { HTTPResponse(body: $0.body) }
    var request = URLRequest(url: server.url())
    request.httpMethod = "POST"
    request.httpBody = Data("abc".utf8)
    request.setValue("999", forHTTPHeaderField: "Content-Length")
    request.setValue("chunked", forHTTPHeaderField: "Transfer-Encoding")
    #expect(await RecordedSession().load(request).text == "abc")
    #expect(server.requests.first?.fields["Content-Length"] == "3")
  }

  @Test(arguments: LoadKind.allCases)
  func informationalResponsesGoToTheDelegateAndAreNotTheResponse(_ kind: LoadKind) async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readRequest()
      try connection.send("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
      try connection.send(HTTPResponse(text: "final"))
    }
    let client = RecordedSession()
    let record = await client.load(server.url(), as: kind)
    #expect(record.status == 200 && record.text == "final")
    let seen = client.recorder.records.value.values.first ?? LoadRecord()
    #expect(seen.informational.map(\.statusCode) == [100, 103])
    #expect(seen.informational.last?.value(forHTTPHeaderField: "Link") == "</a>")
    if kind == .delegate { #expect(record.events.prefix(3) == ["informational", "informational", "response"]) }
  }

  @Test(arguments: ["\r\nX-Evil: 1", "a\nb", "a\u{0}b"])
  func aFieldCannotAddAnother(_ value: String) async throws {
    let server = try ScriptedServer.http { _ in HTTPResponse() }
    var request = URLRequest(url: server.url())
    request.setValue("x" + value, forHTTPHeaderField: "X-Test")
    let record = await RecordedSession().load(request)
    #expect(record.completions == 1)
    #expect(server.requests.allSatisfy { $0.fields["X-Evil"] == nil })
    #expect(record.error != nil || server.requests.first?.fields["X-Test"] != nil)
  }

  @Test(
    arguments: [
      ("X-Token", "secret\r\n", "\"X-Token\""), ("X-Token", "\nsecret", "\"X-Token\""),
      ("X-Token", "sec\u{0}ret", "\"X-Token\""), ("Authorization", "secret\r", "\"Authorization\""),
      ("X Token", "secret", "\"X Token\""), ("X-Größe", "secret", "\"X-Gr\\u{00F6}\\u{00DF}e\""),
      ("", "secret", "\"\""),
      ("X\r\nY", "secret", "\"X\\r\\nY\""), ("X\u{1B}[2J", "secret", "\"X\\u{1B}[2J\""),
    ], [true, false])
  func aFieldThatCannotBeSentIsNamed(field: (name: String, value: String, shown: String), isOfSession: Bool)
    async throws
  {
    let server = try ScriptedServer.http { _ in HTTPResponse() }
    let client = RecordedSession(configure: { if isOfSession { $0.httpAdditionalHeaders = [field.name: field.value] } })
    var request = URLRequest(url: server.url())
    if !isOfSession { request.setValue(field.value, forHTTPHeaderField: field.name) }
    let error = try #require(await client.load(request).error as? URLError)
    #expect(error.code == .badURL)
    #expect(error.localizedDescription.contains(field.shown), "\(error.localizedDescription)")
    #expect(!error.localizedDescription.contains("ret"), "\(error.localizedDescription)")
    #expect(error.localizedDescription.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F })
    #expect(server.connectionCount == 0)
  }

  @Test(arguments: ["GET / HTTP/1.1\r\nX: y", "A B", "G\u{0}ET", "MÉTHOD", "CONNECT"])
  func aMethodThatCannotBeSentIsNamed(_ method: String) async throws {
    let server = try ScriptedServer.http { _ in HTTPResponse() }
    var request = URLRequest(url: server.url())
    request.httpMethod = method
    let error = try #require(await RecordedSession().load(request).error as? URLError)
    #expect(error.code == .badURL && error.localizedDescription.contains("method"))
    #expect(error.localizedDescription.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F })
    #expect(server.connectionCount == 0)
  }

  @Test func knownFieldsAreFoundByTheirUsualSpelling() async throws {
    for name in ["Content-type", "CONTENT-TYPE", "content-type"] {
      let server = try ScriptedServer { connection in
        _ = try connection.readRequest()
        try connection.send("HTTP/1.1 200 OK\r\n\(name): a/b\r\nx-OWN: 1\r\nContent-Length: 0\r\n\r\n")
      }
      let fields = try #require(await RecordedSession().load(server.url()).http).allHeaderFields
      #expect(fields["Content-Type"] as? String == "a/b" && fields["x-OWN"] as? String == "1")
    }
  }

  @Test(arguments: LoadKind.allCases)
  func relativeURLsAreAbsoluteInRequestsAndResponses(_ kind: LoadKind) async throws {
    let server = try ScriptedServer.http { request in
      request.path == "/dir/b" ? HTTPResponse(302, fields: ["Location": "../c?q"]) : HTTPResponse(text: "ok")
    }
    let url = try #require(URL(string: "b", relativeTo: server.url("/dir/a")))
    let record = await RecordedSession().load(url, as: kind)
    #expect(record.text == "ok" && server.requests.map(\.target) == ["/dir/b", "/c?q"])
    let found = try #require(record.response?.url)
    #expect(found.baseURL == nil && found == server.url("/c?q"))
  }

  @Test(arguments: ["GET / HTTP/1.1\r\nX: y", "A B", "", "G\u{0}ET", "MÉTHOD"])
  func aStrangeMethodIsAnErrorOrSentAsItIs(_ method: String) async throws {
    let server = try ScriptedServer.http { HTTPResponse(text: $0.method) }
    var request = URLRequest(url: server.url())
    request.httpMethod = method
    let record = await RecordedSession().load(request)
    #expect(record.completions == 1)
    #expect(server.requests.allSatisfy { $0.fields["X"] == nil && ["GET", method].contains($0.method) })
  }
}
