import Foundation
import TestServers
import Testing
import URLLoading

/// What is said about messages: fields, trailers, framing, informational responses, addresses.
@Suite(.timeLimit(.minutes(1))) struct HTTPMessageTests {
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
