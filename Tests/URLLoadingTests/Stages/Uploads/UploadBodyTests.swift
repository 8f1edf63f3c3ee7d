import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// What a protocol instance and the current request show of a body.
@Suite(.timeLimit(.minutes(4))) struct UploadBodyTests {
  /// Answers with the body twice: as data, and as what the stream gives; a dash for what is not there.
  private static func showing() -> Fake {
    Fake { instance in
      let request = instance.request
      instance.respond()
      let body = request.httpBody.map { String(decoding: $0, as: UTF8.self) } ?? "-"
      let stream = request.httpBodyStream.map { String(decoding: drain($0), as: UTF8.self) } ?? "-"
      instance.send(Data("\(body) \(stream)".utf8))
      instance.finish()
    }
  }

  private static func drain(_ stream: InputStream) -> Data {
    stream.open()
    defer { stream.close() }
    var bytes = Data()
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = stream.read(&buffer, maxLength: buffer.count)
      guard count > 0 else { return bytes }
      bytes += buffer[..<count]
    }
  }

  private func request(_ url: URL, body: String? = nil, stream: String? = nil) -> URLRequest {
    var request = URLRequest(url: url)
    request.httpMethod = "POST"
    if let body { request.httpBody = Data(body.utf8) }
    if let stream { request.httpBodyStream = InputStream(data: Data(stream.utf8)) }
    return request
  }

  @Test(arguments: UploadKind.allCases)
  func theGivenBodyTakesThePlaceOfTheRequestsOwn(_ kind: UploadKind) async throws {
    let expected =
      switch kind {
      case .dataDelegate, .dataHandler, .dataAsync: "new new"
      case .fileDelegate, .fileHandler, .fileAsync, .stream: "- new"
      }
    for old in [request(Self.showing().url(), body: "old"), request(Self.showing().url(), stream: "old")] {
      let record = try await RecordedSession.fake().upload(Data("new".utf8), to: old, by: kind)
      #expect(record.text == expected, "\(record)")
    }
  }

  @Test func theStreamOfTheDelegateTakesThePlaceOfTheRequestsBody() async {
    let client = RecordedSession.fake(LoadRecorder(onStream: { _ in InputStream(data: Data("new".utf8)) }))
    let task = client.session.uploadTask(withStreamedRequest: request(Self.showing().url(), body: "old"))
    #expect(await client.run(task).text == "- new")
  }

  @Test(arguments: TaskKind.allCases) func aBodyInMemoryIsAStreamToo(_ kind: TaskKind) async {
    let fake = Self.showing()
    #expect(await RecordedSession.fake().load(request(fake.url(), body: "body"), by: kind).text == "body body")
    #expect(await RecordedSession.fake().load(request(fake.url(), stream: "body"), by: kind).text == "- body")
    #expect(await RecordedSession.fake().load(request(fake.url()), by: kind).text == "- -")
  }

  @Test func bothSayTheSameHoweverOftenTheyAreAsked() async {
    let fake = Fake { instance in
      let isSame = instance.request.httpBodyStream === instance.request.httpBodyStream
      instance.respond()
      instance.send(Data("\(isSame) \(instance.request.httpBody?.count ?? -1)".utf8))
      instance.finish()
    }
    #expect(await RecordedSession.fake().load(request(fake.url(), body: "body")).text == "true 4")
  }

  @Test func loadsOfOneRequestHaveAStreamEach() async {
    let fake = Self.showing()
    let session = RecordedSession.fake()
    let request = request(fake.url(), body: "body")
    for _ in 0..<3 { #expect(await session.load(request).text == "body body") }
  }

  /// What many protocol classes do: load their own request by another session.
  @Test(arguments: UploadKind.allCases) func aRequestThatIsPassedOnHasItsBody(_ kind: UploadKind) async throws {
    let inner = Self.showing()
    let fake = Fake { instance in
      // Somebody looked at the body already.
      if instance.request.httpBody != nil { _ = instance.request.httpBodyStream.map(Self.drain) }
      var request = instance.request
      request.url = inner.url()
      let answer = Watched<Data?>(nil)
      let session = RecordedSession.fake()
      session.session.dataTask(with: request) { data, _, _ in answer.update { $0 = data ?? Data() } }.resume()
      _ = answer.waitBlocking { $0 != nil }
      instance.respond()
      instance.send(answer.value ?? Data())
      instance.finish()
    }
    let record = try await RecordedSession.fake().upload(Data("new".utf8), to: request(fake.url()), by: kind)
    #expect(record.text == "new new" || record.text == "- new", "\(record)")
  }

  @Test(arguments: UploadKind.allCases) func aRedirectKeepsTheBody(_ kind: UploadKind) async throws {
    let target = Self.showing()
    let fake = Fake { instance in
      // The first hop reads it all.
      _ = instance.request.httpBodyStream.map(Self.drain)
      _ = instance.reporter?.urlProtocolUploadBody(instance)
      var next = instance.request
      next.url = target.url()
      instance.client?.urlProtocol(
        instance, wasRedirectedTo: next, redirectResponse: instance.response(length: 0))
    }
    let client = RecordedSession.fake(LoadRecorder(onStream: { _ in InputStream(data: Data("new".utf8)) }))
    let record = try await client.upload(Data("new".utf8), to: request(fake.url()), by: kind)
    #expect(record.text == "new new" || record.text == "- new", "\(record)")
  }

  @Test func childrenDoNotInheritTheFileBehindARedirect() async throws {
    let folder = try TemporaryDirectory("redirected")
    let file = try folder.write("body", "new")
    let target = Fake { instance in
      let stream = instance.request.httpBodyStream
      stream?.open()
      defer { stream?.close() }
      instance.respond()
      instance.send(Data("\(Self.closesOnExec(file))".utf8))
      instance.finish()
    }
    let client = RecordedSession.fake()
    let start = request(Self.redirecting(to: target).url())
    #expect(await client.run(client.session.uploadTask(with: start, fromFile: file)).text == "[true]")
  }

  /// Of each open descriptor of a file whether children lack it.
  private static func closesOnExec(_ file: URL) -> [Bool] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    let path = file.resolvingSymlinksInPath().path
    return names.compactMap { Int32($0) }.filter {
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path
    }.map { fcntl($0, F_GETFD) & FD_CLOEXEC != 0 }
  }

  /// As classes written for Apple's systems make the request of a redirect.
  @Test(arguments: UploadKind.allCases) func aRedirectMayCarryTheStreamOn(_ kind: UploadKind) async throws {
    let target = Self.showing()
    let fake = Fake { instance in
      _ = instance.reporter?.urlProtocolUploadBody(instance)
      var next = URLRequest(url: target.url())
      next.httpMethod = "POST"
      next.httpBodyStream = instance.request.httpBodyStream
      _ = next.httpBodyStream.map(Self.drain)
      instance.client?.urlProtocol(instance, wasRedirectedTo: next, redirectResponse: instance.response(length: 0))
    }
    let client = RecordedSession.fake(LoadRecorder(onStream: { _ in InputStream(data: Data("new".utf8)) }))
    let record = try await client.upload(Data("new".utf8), to: request(fake.url()), by: kind)
    #expect(record.text == "new new" || record.text == "- new", "\(record)")
  }

  @Test(arguments: UploadKind.allCases)
  func aDelegateMayGiveARedirectAnotherBody(_ kind: UploadKind) async throws {
    let target = Self.showing()
    let server = try ScriptedServer.http { request in
      request.path == "/start"
        ? .redirect(307, to: "/end") : HTTPResponse(text: String(decoding: request.body, as: UTF8.self))
    }
    for start in [server.url("/start"), Self.redirecting(to: target).url()] {
      for asStream in [false, true] {
        let client = RecordedSession.fake(
          LoadRecorder(onRedirect: { _, request in
            var request = request
            if asStream {
              request.httpBodyStream = InputStream(data: Data("other".utf8))
            } else {
              request.httpBody = Data("other".utf8)
            }
            return request
          }))
        let record = try await client.upload(Data("new".utf8), to: request(start), by: kind)
        #expect(record.text.hasSuffix("other") && !record.text.contains("new"), "\(record)")
      }
    }
  }

  private static func redirecting(to target: Fake) -> Fake {
    Fake { instance in
      _ = instance.reporter?.urlProtocolUploadBody(instance)
      var next = instance.request
      next.url = target.url()
      instance.client?.urlProtocol(instance, wasRedirectedTo: next, redirectResponse: instance.response(length: 0))
    }
  }

  @Test func settingOneClearsBoth() async {
    let bodies = Watched<[String]>([])
    let fake = Fake { instance in
      func show(_ request: URLRequest) {
        let body = request.httpBody.map { String(decoding: $0, as: UTF8.self) } ?? "-"
        let stream = request.httpBodyStream.map { String(decoding: Self.drain($0), as: UTF8.self) } ?? "-"
        bodies.update { $0.append("\(body) \(stream)") }
      }
      var request = instance.request
      request.httpBodyStream = InputStream(data: Data("new".utf8))
      show(request)
      request = instance.request
      request.httpBody = Data("new".utf8)
      show(request)
      request = instance.request
      request.httpBody = nil
      show(request)
      request = instance.request
      request.httpBodyStream = nil
      show(request)
      instance.respond()
      instance.finish()
    }
    _ = await RecordedSession.fake().load(request(fake.url(), body: "old"))
    #expect(bodies.value == ["- new", "new -", "- -", "- -"])
  }

  @Test func theCurrentRequestShowsTheGivenBytes() async throws {
    let session = RecordedSession()
    let server = try ScriptedServer.http { HTTPResponse(text: String(decoding: $0.body, as: UTF8.self)) }
    for old in [request(server.url(), body: "old"), request(server.url(), stream: "old")] {
      let task = session.session.uploadTask(with: old, from: Data("new".utf8))
      #expect(await session.run(task).text == "new")
      #expect(task.currentRequest?.httpBody == Data("new".utf8))
      #expect(task.originalRequest == old)
    }
  }

  @Test func aRequestWithAStreamAsWellEqualsTheOneWithout() async {
    let isEqual = Watched<Bool?>(nil)
    let original = request(Self.showing().url(), body: "body")
    let fake = Fake { instance in
      var seen = instance.request
      seen.url = original.url
      isEqual.update { $0 = seen == original && (seen as NSURLRequest) == (original as NSURLRequest) }
      instance.respond()
      instance.finish()
    }
    _ = await RecordedSession.fake().load(request(fake.url(), body: "body"))
    #expect(isEqual.value == true)
  }
}
