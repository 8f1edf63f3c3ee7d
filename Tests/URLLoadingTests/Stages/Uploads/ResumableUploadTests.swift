import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// Uploads that go on after an interruption, by themselves.
@Suite(.timeLimit(.minutes(2))) struct ResumableUploadTests {
  private let body = UploadClient.body(1_000_000)

  /// Where the body of an upload is.
  enum Kind: CaseIterable { case data, file, stream, streamOfUnknownLength }

  @Test(arguments: Kind.allCases, ["POST", "PUT"])
  func anInterruptedUploadGoesOn(kind: Kind, method: String) async throws {
    let body = body
    let client = try UploadClient(UploadDelegate(stream: { InputStream(data: body.dropFirst(Int($0))) })) {
      $0.cuts = kind == .streamOfUnknownLength ? [0] : [300_000, 200_000]
    }
    let (file, folder) = try UploadClient.file(body)
    defer { folder.remove() }
    var request = client.request(method, ["Content-Type": "text/x-test", "Authorization": "Bearer x"])
    let task: URLSessionUploadTask
    switch kind {
    case .data: task = client.session.uploadTask(with: request, from: body)
    case .file: task = client.session.uploadTask(with: request, fromFile: file)
    case .stream, .streamOfUnknownLength:
      if kind == .stream { request.setValue(String(body.count), forHTTPHeaderField: "Content-Length") }
      task = client.session.uploadTask(withStreamedRequest: request)
    }
    let log = await client.run(task)
    #expect(log.error == nil, "\(log.words)")
    #expect(String(decoding: log.body, as: UTF8.self) == "stored")
    #expect((task.response as? HTTPURLResponse)?.statusCode == 200)
    #expect(client.server.upload?.isComplete == true)
    if kind == .streamOfUnknownLength {
      // The whole came before the cut.
      #expect(client.server.methods == [method, "HEAD", "PATCH"])
    } else {
      #expect(client.server.upload?.bytes == body)
      #expect(client.server.methods == [method, "HEAD", "PATCH", "HEAD", "PATCH"])
      #expect(task.countOfBytesSent == Int64(body.count) && task.countOfBytesExpectedToSend == Int64(body.count))
    }
    let patch = try #require(client.server.requests.last)
    #expect(patch.fields["Upload-Draft-Interop-Version"] == "8" && patch.fields["Upload-Complete"] == "?1")
    #expect(patch.fields["Content-Type"] == "application/partial-upload")
    #expect(patch.fields["Authorization"] == "Bearer x")
    #expect(client.server.requests[1].fields["Content-Type"] == nil)
    #expect(client.server.requests[1].fields["Authorization"] == "Bearer x")
  }

  @Test func theRequestInvitesTheServer() async throws {
    let client = try UploadClient()
    let log = await client.run(client.session.uploadTask(with: client.request(), from: Data("abc".utf8)))
    #expect(log.error == nil && log.announcements.map(\.statusCode) == [104])
    let fields = try #require(client.server.requests.first?.fields)
    #expect(fields["Upload-Complete"] == "?1" && fields["Upload-Length"] == "3")
    #expect(fields["Upload-Draft-Interop-Version"] == "8")
    #expect(client.server.upload?.bytes == Data("abc".utf8))
  }

  /// Servers without support get the body as ever, and their interruptions are errors as ever.
  @Test func aServerWithoutSupportIsAsEver() async throws {
    let client = try UploadClient { $0.announcement = nil }
    let log = await client.run(client.session.uploadTask(with: client.request(), from: body))
    #expect(log.error == nil && client.server.plainBodies == [body] && client.server.methods == ["POST"])
    let closing = try ScriptedServer { connection in
      _ = try connection.readRequestHead()
      _ = try connection.readBody(count: 1000)
      connection.reset()
    }
    var request = URLRequest(url: closing.url())
    request.httpMethod = "POST"
    let error = await #expect(throws: URLError.self) {
      try await client.session.upload(for: request, from: body)
    }
    #expect(error?.code == .networkConnectionLost && error?.userInfo[NSURLSessionUploadTaskResumeData] == nil)
  }

  @Test(arguments: ["GET", "DELETE", "OPTIONS"]) func otherMethodsInviteNobody(method: String) async throws {
    let client = try UploadClient()
    _ = await client.run(client.session.uploadTask(with: client.request(method), from: Data("abc".utf8)))
    #expect(client.server.requests.first?.fields["Upload-Complete"] == nil)
  }

  @Test func aProgramThatSpeaksAboutUploadsItselfIsLeftAlone() async throws {
    for field in ["Upload-Complete": "?0", "Tus-Resumable": "1.0.0", "Upload-Offset": "7"] {
      let client = try UploadClient { $0.announcement = nil }
      _ = await client.run(
        client.session.uploadTask(with: client.request("PATCH", [field.key: field.value]), from: Data("abc".utf8)))
      let fields = try #require(client.server.requests.first?.fields)
      #expect(fields[field.key] == field.value && fields["Upload-Length"] == nil)
      #expect(fields["Upload-Draft-Interop-Version"] == nil)
    }
  }

  @Test func dataTasksAndEmptyBodiesInviteNobody() async throws {
    let client = try UploadClient { $0.announcement = nil }
    var request = client.request()
    request.httpBody = Data("abc".utf8)
    _ = try await client.session.data(for: request)
    _ = try await client.session.upload(for: client.request(), from: Data())
    #expect(client.server.requests.count == 2)
    #expect(client.server.requests.allSatisfy { $0.fields["Upload-Draft-Interop-Version"] == nil })
  }

  @Test func aLimitOfThePartsIsKept() async throws {
    let client = try UploadClient {
      // The client gives the request up by itself, before the server has all of it.
      $0.cuts = [500_000]
      $0.announcement?.append(("Upload-Limit", "max-append-size=300000"))
      $0.limit = "max-append-size=300000"
    }
    let log = await client.run(client.session.uploadTask(with: client.request(), from: body))
    #expect(log.error == nil, "\(log.words)")
    #expect(client.server.upload?.bytes == body && client.server.upload?.isComplete == true)
    let patches = client.server.requests.filter { $0.method == "PATCH" }
    for patch in patches { #expect(Int(patch.fields["Content-Length"] ?? "").map { $0 <= 300_000 } == true) }
    #expect(patches.dropLast().allSatisfy { $0.fields["Upload-Complete"] == "?0" })
    #expect(patches.last?.fields["Upload-Complete"] == "?1")
  }

  @Test func aBodyBeyondTheLimitIsAnErrorAndTheServerIsTold() async throws {
    let client = try UploadClient { $0.announcement?.append(("Upload-Limit", "max-size=1000")) }
    let log = await client.run(client.session.uploadTask(with: client.request(), from: body))
    #expect(log.code == .dataLengthExceedsMaximum && log.words.contains("1000 bytes"), "\(log.words)")
    #expect(log.resumeData == nil)
    #expect(await client.server.waitForCancellation())
  }

  @Test func progressGoesOnFromWhereTheServerIs() async throws {
    let client = try UploadClient {
      $0.cuts = [500_000]
      $0.reportsAfter = 100_000
    }
    let task = client.session.uploadTask(with: client.request(), from: body)
    let progress = task.progress
    let log = await client.run(task)
    #expect(log.error == nil, "\(log.words)")
    for sent in log.sent { #expect(sent.expected == 1_000_000 && sent.total <= 1_000_000 && sent.new > 0) }
    #expect(log.sent.last?.total == 1_000_000)
    #expect(progress.isFinished && progress.completedUnitCount >= 1_000_000)
  }

  @Test func whatWasCompleteThoughNobodyHeardIsTheResult() async throws {
    let client = try UploadClient { $0.result = HTTPResponse(200) }
    // The whole body comes, and the answer does not.
    client.server.change { $0.cuts = [1_000_000] }
    client.server.change {
      $0.offsets = ["HTTP/1.1 204 No\r\nUpload-Offset: 1000000\r\nUpload-Complete: ?1\r\nX-Result: 7\r\n\r\n"]
    }
    let task = client.session.uploadTask(with: client.request(), from: body)
    let log = await client.run(task)
    #expect(log.error == nil, "\(log.words)")
    let response = try #require(task.response as? HTTPURLResponse)
    #expect(response.statusCode == 204 && response.value(forHTTPHeaderField: "X-Result") == "7")
    #expect(client.server.methods == ["POST", "HEAD"])
  }

  @Test func aRefusalOfTheWholeIsTheResult() async throws {
    let client = try UploadClient {
      $0.cuts = [300_000]
      $0.result = HTTPResponse(422, fields: ["Upload-Complete": "?1"], text: "no cats, please")
    }
    let task = client.session.uploadTask(with: client.request(), from: body)
    let log = await client.run(task)
    #expect(log.error == nil && (task.response as? HTTPURLResponse)?.statusCode == 422)
    #expect(String(decoding: log.body, as: UTF8.self) == "no cats, please")
  }

  @Test func aQuestionThatIsCutOffIsAskedAgain() async throws {
    let client = try UploadClient {
      $0.cuts = [300_000]
      $0.offsets = ["", "HTTP/1.1 503 Later\r\nContent-Length: 0\r\n\r\n", nil]
      $0.parts = ["HTTP/1.1 409 Other\r\nUpload-Offset: 300000\r\nContent-Length: 0\r\n\r\n", nil]
    }
    let log = await client.run(client.session.uploadTask(with: client.request(), from: body))
    #expect(log.error == nil, "\(log.words)")
    #expect(client.server.methods == ["POST", "HEAD", "HEAD", "HEAD", "PATCH", "HEAD", "PATCH"])
    #expect(client.server.upload?.bytes == body)
  }

  /// An answer to the question, the error that it makes, and some of its words.
  struct Lie: Sendable, CustomTestStringConvertible {
    let answer: String
    let code: URLError.Code
    let words: String
    var isResumable = false
    var testDescription: String { answer }
  }

  @Test(arguments: [
    Lie(answer: "204 x\r\nUpload-Complete: ?0", code: .badServerResponse, words: "Upload-Offset"),
    Lie(answer: "204 x\r\nUpload-Offset: cat", code: .badServerResponse, words: "Upload-Offset"),
    Lie(answer: "204 x\r\nUpload-Offset: -5", code: .badServerResponse, words: "Upload-Offset"),
    Lie(
      answer: "204 x\r\nUpload-Offset: 1000001", code: .badServerResponse, words: "1000001 bytes of a body of 1000000"),
    Lie(answer: "204 x\r\nUpload-Offset: 100", code: .badServerResponse, words: "had 300000 before"),
    Lie(
      answer: "204 x\r\nUpload-Offset: 300000\r\nUpload-Length: 5", code: .badServerResponse, words: "has 5 bytes"),
    Lie(answer: "404 Gone\r\nContent-Length: 0", code: .resourceUnavailable, words: "status 404"),
    Lie(answer: "410 Gone\r\nContent-Length: 0", code: .resourceUnavailable, words: "status 410"),
    Lie(
      answer: "403 No\r\nContent-Length: 0", code: .userAuthenticationRequired, words: "answered 403", isResumable: true
    ),
    Lie(answer: "garbage", code: .cannotParseResponse, words: "", isResumable: true),
  ])
  func aServerThatLiesGetsNothingMore(lie: Lie) async throws {
    let client = try UploadClient {
      $0.cuts = [300_000]
      $0.reportsAfter = 300_000
      $0.offsets = [lie.answer == "garbage" ? "ZZZ/9 garbage\r\n\r\n" : "HTTP/1.1 \(lie.answer)\r\n\r\n"]
    }
    // Cut only when the client has heard how much the server has.
    client.server.change { [log = client.delegate.log] in
      $0.beforeCut = { _ = log.waitBlocking { $0.announcements.count >= 2 } }
    }
    let log = await client.run(client.session.uploadTask(with: client.request(), from: body))
    #expect(log.code == lie.code, "\(log.words)")
    #expect(log.error != nil && (lie.words.isEmpty || log.words.contains(lie.words)), "\(log.words)")
    #expect((log.resumeData != nil) == lie.isResumable)
    #expect(!client.server.methods.contains("PATCH"))
  }

  @Test func aFileThatHasChangedIsNotMixedWithWhatItWas() async throws {
    let (file, folder) = try UploadClient.file(body)
    defer { folder.remove() }
    let client = try UploadClient { $0.cuts = [300_000] }
    client.server.change { [isAnnounced = client.delegate.isAnnounced] in
      $0.beforeCut = {
        _ = isAnnounced.waitBlocking()
        try? Data("other".utf8).write(to: file)
      }
    }
    let log = await client.run(client.session.uploadTask(with: client.request(), fromFile: file))
    // What reads the file may see first that it shrank.
    #expect(log.error != nil && log.words.contains("file"), "\(log.words)")
    #expect(log.resumeData == nil)
    #expect(!client.server.methods.contains("PATCH"))
  }

  @Test func aRedirectOfTheQuestionIsFollowed() async throws {
    let client = try UploadClient { $0.cuts = [300_000] }
    client.server.change {
      $0.offsets = ["HTTP/1.1 307 There\r\nLocation: /uploads/1?again\r\nContent-Length: 0\r\n\r\n"]
    }
    let log = await client.run(client.session.uploadTask(with: client.request(), from: body))
    #expect(log.error == nil, "\(log.words)")
    #expect(client.server.upload?.bytes == body)
  }

  /// Answers challenges.
  private final class Answering: NSObject, URLSessionTaskDelegate, Sendable {
    func urlSession(
      _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
      (.useCredential, URLCredential(user: "u", password: "p", persistence: .none))
    }
  }

  @Test func aRedirectOfAPartBeginsWhereThePartDoes() async throws {
    let client = try UploadClient { $0.cuts = [300_000] }
    client.server.change {
      $0.offsets = [nil]
      $0.parts = ["HTTP/1.1 307 There\r\nLocation: /uploads/1?again\r\nContent-Length: 0\r\n\r\n"]
    }
    let task = client.session.uploadTask(with: client.request(), from: body)
    let log = await client.run(task)
    #expect(log.error == nil, "\(log.words)")
    #expect(client.server.upload?.bytes == body && client.server.methods == ["POST", "HEAD", "PATCH", "PATCH"])
    #expect(task.countOfBytesSent == 1_000_000)
    for (before, after) in zip(log.sent, log.sent.dropFirst()) {
      #expect(after.new == after.total - before.total || after.new == after.total - 300_000)
    }
  }

  /// The redirect becomes a GET elsewhere, whose answer says nothing of the part.
  @Test func anAnswerFromElsewhereTakesNoPart() async throws {
    let elsewhere = try ScriptedServer.http { _ in HTTPResponse(text: "hello") }
    let client = try UploadClient {
      // The client gives the request up by itself, before the server has all of it.
      $0.cuts = [500_000]
      $0.announcement?.append(("Upload-Limit", "max-append-size=300000"))
      $0.limit = "max-append-size=300000"
      $0.parts = ["HTTP/1.1 303 There\r\nLocation: \(elsewhere.url())\r\nContent-Length: 0\r\n\r\n"]
    }
    let log = await client.run(client.session.uploadTask(with: client.request(), from: body))
    #expect(log.error == nil, "\(log.words)")
    #expect(elsewhere.requests.map(\.method) == ["GET"])
    #expect(client.server.upload?.bytes == body && client.server.upload?.isComplete == true)
    #expect(String(decoding: log.body, as: UTF8.self) == "stored")
  }

  @Test func aPartThatCompletesTheUploadTooEarlyIsAnError() async throws {
    let client = try UploadClient {
      $0.cuts = [500_000]
      $0.announcement?.append(("Upload-Limit", "max-append-size=300000"))
      $0.limit = "max-append-size=300000"
      $0.parts = ["HTTP/1.1 204 Done\r\nUpload-Complete: ?1\r\n\r\n"]
    }
    let log = await client.run(client.session.uploadTask(with: client.request(), from: body))
    #expect(log.code == .badServerResponse && log.words.contains("of its 1000000 bytes"), "\(log.words)")
    #expect(log.resumeData == nil)
  }

  @Test func aSuccessThatIsNotTheEndIsAskedAbout() async throws {
    let client = try UploadClient { $0.result = HTTPResponse(201, fields: ["Upload-Complete": "?0"], text: "more") }
    let task = client.session.uploadTask(with: client.request(), from: body)
    let log = await client.run(task)
    #expect(log.error == nil, "\(log.words)")
    #expect(client.server.methods == ["POST", "HEAD"] && client.server.upload?.bytes == body)
    #expect((task.response as? HTTPURLResponse)?.statusCode == 204)
  }

  @Test func aServerThatCompletesNothingAndAnnouncesNothingIsAnError() async throws {
    let server = try ScriptedServer.http { _ in HTTPResponse(200, fields: ["Upload-Complete": "?0"], text: "more") }
    let client = try UploadClient()
    var request = client.request()
    request.url = server.url()
    let log = await client.run(client.session.uploadTask(with: request, from: body))
    #expect(log.code == .badServerResponse && log.words.contains("answered 200"), "\(log.words)")
  }

  @Test func aChallengeOfTheFirstRequestMayLeadToAnotherResource() async throws {
    let server = try ScriptedServer { connection in
      var count = 0
      while try connection.readRequest() != nil {
        count += 1
        try connection.send(
          "HTTP/1.1 104 x\r\nUpload-Draft-Interop-Version: 8\r\nLocation: /uploads/\(count)\r\n\r\n")
        try connection.send(
          count == 1
            ? HTTPResponse(401, fields: ["WWW-Authenticate": "Basic realm=\"x\""])
            : HTTPResponse(fields: ["Upload-Complete": "?1"], text: "stored"))
      }
    }
    let client = try UploadClient()
    var request = client.request()
    request.url = server.url()
    let task = client.session.uploadTask(with: request, from: body)
    task.delegate = Answering()
    let log = await client.run(task)
    #expect(log.error == nil, "\(log.words)")
    #expect(String(decoding: log.body, as: UTF8.self) == "stored")
    #expect(server.requests.map { $0.fields["Authorization"] } == [nil, "Basic dTpw"])
  }

  @Test func aChallengeOfThePartIsAnswered() async throws {
    let (file, folder) = try UploadClient.file(body)
    defer { folder.remove() }
    let client = try UploadClient {
      $0.cuts = [300_000]
      $0.parts = ["HTTP/1.1 401 Who\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 0\r\n\r\n", nil]
    }
    let task = client.session.uploadTask(with: client.request(), fromFile: file)
    task.delegate = Answering()
    let log = await client.run(task)
    #expect(log.error == nil, "\(log.words)")
    #expect(client.server.upload?.bytes == body)
    #expect(client.server.requests.last?.fields["Authorization"] == "Basic dTpw")
  }

  @Test func manySmallOnesAtOnce() async throws {
    let client = try UploadClient()
    let session = client.session
    let request = client.request()
    let failures = await withTaskGroup(of: Bool.self) { group in
      for number in 0..<1000 {
        group.addTask {
          let (data, response) = try await session.upload(for: request, from: Data("body \(number)".utf8))
          return (response as? HTTPURLResponse)?.statusCode != 200 || data != Data("stored".utf8)
        } onError: { _ in
          true
        }
      }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(failures == 0)
    #expect(Set(client.server.uploads.map(\.bytes)) == Set((0..<1000).map { Data("body \($0)".utf8) }))
  }
}

extension TaskGroup where ChildTaskResult == Bool {
  /// Adds a task whose error counts as a result.
  fileprivate mutating func addTask(
    _ body: @escaping @Sendable () async throws -> Bool, onError: @escaping @Sendable (any Error) -> Bool
  ) {
    addTask { do { return try await body() } catch { return onError(error) } }
  }
}
