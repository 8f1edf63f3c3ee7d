import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

/// Uploads that a later task continues.
@Suite(.timeLimit(.minutes(2))) struct UploadResumeDataTests {
  private let body = UploadClient.body(1_000_000)

  /// An upload that is stopped when the server has some of it: a server that holds it there.
  private func stopped(
    _ client: UploadClient, _ task: URLSessionUploadTask, at count: Int = 300_000
  ) async throws -> Data? {
    let goesOn = AsyncEvent()
    client.server.change {
      $0.cuts = [count]
      $0.beforeCut = { _ = goesOn.waitBlocking() }
    }
    defer { goesOn.signal() }
    task.resume()
    #expect(await client.server.waitForBytes(count))
    #expect(await client.delegate.isAnnounced.wait())
    return await task.cancelByProducingResumeData()
  }

  /// Answers to the way a task is made.
  enum Kind: CaseIterable { case data, file, stream }

  @Test(arguments: Kind.allCases) func aLaterTaskGoesOn(kind: Kind) async throws {
    let (file, folder) = try UploadClient.file(body)
    defer { folder.remove() }
    let body = body
    let delegate = UploadDelegate(stream: { InputStream(data: body.dropFirst(Int($0))) })
    let client = try UploadClient(delegate)
    var request = client.request("PUT", ["Authorization": "Bearer secret", "X-Plain": "seen"])
    let task: URLSessionUploadTask
    switch kind {
    case .data: task = client.session.uploadTask(with: request, from: body)
    case .file: task = client.session.uploadTask(with: request, fromFile: file)
    case .stream:
      request.setValue(String(body.count), forHTTPHeaderField: "Content-Length")
      task = client.session.uploadTask(withStreamedRequest: request)
    }
    let data = try #require(try await stopped(client, task))
    #expect(data.range(of: Data("secret".utf8)) == nil)
    let first = await client.end()
    #expect(first.code == .cancelled && first.resumeData == data)
    client.delegate.log.update { $0 = UploadDelegate.Log() }
    let log = await client.run(client.session.uploadTask(withResumeData: data))
    #expect(log.error == nil, "\(log.words)")
    #expect(client.server.upload?.bytes == body && client.server.upload?.isComplete == true)
    #expect(client.server.methods == ["PUT", "HEAD", "PATCH"])
    #expect(log.offsets == (kind == .stream ? [300_000] : []))
    #expect(client.server.requests.last?.fields["Authorization"] == "Bearer secret")
    #expect(client.server.requests.last?.fields["X-Plain"] == "seen")
    #expect(log.sent.last?.total == 1_000_000 && log.sent.last?.expected == 1_000_000)
  }

  /// The transfer service goes on with the request that its queue has, which says what it goes without.
  @Test func whatAServiceResumesGoesWithoutTheSameFields() async throws {
    let (file, folder) = try UploadClient.file(body)
    defer { folder.remove() }
    let client = try UploadClient(sessionFields: ["X-Session": "a"])
    var request = client.request("PUT", ["X-Plain": "seen", "X-Dropped": "b"])
    request.omittedFields = ["accept", "user-agent", "x-dropped", "x-session"]
    let stored = try #require(BackgroundValues.request(BackgroundValues.data(of: request)))
    #expect(stored.omittedFields == request.omittedFields)
    let first = client.session.uploadTask(with: stored, fromFile: file, continuing: nil)
    let data = try #require(try await stopped(client, first))
    _ = await client.end()
    client.delegate.log.update { $0 = UploadDelegate.Log() }
    let log = await client.run(client.session.uploadTask(with: stored, fromFile: file, continuing: data))
    #expect(log.error == nil, "\(log.words)")
    #expect(client.server.upload?.bytes == body)
    #expect(client.server.methods == ["PUT", "HEAD", "PATCH"])
    for request in client.server.requests {
      let left = stored.omittedFields.filter { request.fields[$0] != nil }
      #expect(left.isEmpty, "\(request.method): \(left)")
      #expect(request.fields["X-Plain"] == "seen")
    }
  }

  @Test func everyFormContinues() async throws {
    for form in 0..<3 {
      let client = try UploadClient()
      let task = client.session.uploadTask(with: client.request(), from: body)
      let data = try #require(try await stopped(client, task))
      switch form {
      case 0:
        let (answer, _) = try await client.session.upload(resumeFrom: data)
        #expect(String(decoding: answer, as: UTF8.self) == "stored")
      case 1:
        let (answer, _) = try await client.session.upload(resumeFrom: data, delegate: nil)
        #expect(String(decoding: answer, as: UTF8.self) == "stored")
      default:
        let answer = Watched<Data?>(nil)
        client.session.uploadTask(withResumeData: data) { data, _, _ in answer.update { $0 = data ?? Data() } }.resume()
        #expect(await answer.wait { $0 == Data("stored".utf8) })
      }
      #expect(client.server.upload?.bytes == body)
    }
  }

  @Test func aFailureHasResumeData() async throws {
    // The server is gone after the first cut: the questions are refused, until no more are asked.
    let client = try UploadClient {
      $0.cuts = [300_000]
      $0.offsets = ["", "", "", "", "", ""]
    }
    let log = await client.run(client.session.uploadTask(with: client.request(), from: body))
    #expect(log.code == .networkConnectionLost)
    #expect(client.server.methods.count { $0 == "HEAD" } <= 6)
    let data = try #require(log.resumeData)
    client.server.change { $0.offsets = [] }
    let (answer, _) = try await client.session.upload(resumeFrom: data)
    #expect(String(decoding: answer, as: UTF8.self) == "stored")
    #expect(client.server.upload?.bytes == body)
  }

  /// Cancels while the server holds a request; the task ends once, and its resume data works.
  @Test(arguments: [("POST", 1), ("HEAD", 1), ("PATCH", 1), ("HEAD", 2), ("PATCH", 2)])
  func cancelledAtEveryStep(method: String, count: Int) async throws {
    let (isHeld, goesOn) = (AsyncEvent(), AsyncEvent())
    let client = try UploadClient { $0.cuts = [200_000, 200_000, 200_000] }
    client.server.change {
      $0.beforeAnswer = {
        guard $0 == method, $1 == count else { return }
        isHeld.signal()
        _ = goesOn.waitBlocking()
      }
    }
    let task = client.session.uploadTask(with: client.request(), from: body)
    task.resume()
    #expect(await isHeld.wait())
    let data = await task.cancelByProducingResumeData()
    let log = await client.end()
    client.server.change { $0.cuts = [] }
    defer { goesOn.signal() }
    #expect(log.code == .cancelled && log.resumeData == data)
    #expect((data == nil) == (method == "POST"), "before the announcement there is nothing to go on with")
    guard let data else { return }
    let (answer, _) = try await client.session.upload(resumeFrom: data)
    #expect(String(decoding: answer, as: UTF8.self) == "stored")
    #expect(client.server.upload?.bytes == body)
  }

  @Test func aTaskThatNeverBeganKeepsWhatItWasMadeWith() async throws {
    let client = try UploadClient()
    let data = try #require(try await stopped(client, client.session.uploadTask(with: client.request(), from: body)))
    let again = try #require(await client.session.uploadTask(withResumeData: data).cancelByProducingResumeData())
    _ = try await client.session.upload(resumeFrom: again)
    #expect(client.server.upload?.bytes == body)
  }

  @Test func aPlainCancelGivesNone() async throws {
    let goesOn = AsyncEvent()
    defer { goesOn.signal() }
    let client = try UploadClient {
      $0.cuts = [300_000]
      $0.beforeCut = { _ = goesOn.waitBlocking() }
    }
    let task = client.session.uploadTask(with: client.request(), from: body)
    task.resume()
    #expect(await client.delegate.isAnnounced.wait())
    task.cancel()
    let log = await client.end()
    #expect(log.code == .cancelled && log.resumeData == nil)
  }

  @Test func afterTheAnswerThereIsNothingToResume() async throws {
    let client = try UploadClient()
    let task = client.session.uploadTask(with: client.request(), from: body)
    _ = await client.run(task)
    #expect(await task.cancelByProducingResumeData() == nil)
  }

  @Test(arguments: [true, false]) func aFileThatIsAnotherIsRefused(isGone: Bool) async throws {
    let (file, folder) = try UploadClient.file(body)
    defer { folder.remove() }
    let client = try UploadClient()
    let data = try #require(
      try await stopped(client, client.session.uploadTask(with: client.request(), fromFile: file)))
    if isGone {
      try FileManager.default.removeItem(at: file)
    } else {
      try UploadClient.body(1_000_000).write(to: file)
    }
    let error = await #expect(throws: URLError.self) { try await client.session.upload(resumeFrom: data) }
    #expect(error?.code == (isGone ? .fileDoesNotExist : .cannotOpenFile))
    #expect(error?.localizedDescription.contains(isGone ? "cannot be read" : "has changed") == true)
    #expect(client.server.methods == ["POST"])
  }

  @Test func whatTheServerHasForgottenByNowIsNotAskedFor() async throws {
    let client = try UploadClient()
    let data = try sample {
      $0["expiry"] = Date(timeIntervalSince1970: 0)
      for key in ["url", "originalURL", "resource"] { $0[key] = client.server.url().absoluteString }
    }
    let error = await #expect(throws: URLError.self) { try await client.session.upload(resumeFrom: data) }
    #expect(error?.code == .resourceUnavailable && client.server.requests.isEmpty)
  }

  @Test func anotherProcessIsToldWhatIsMissing() async throws {
    let client = try UploadClient()
    let task = client.session.uploadTask(
      with: client.request("POST", ["Authorization": "Bearer secret"]), from: body)
    let data = try #require(try await stopped(client, task))
    let read = try UploadResumeData(serialized: data, secrets: ResumeSecrets())
    #expect(read.missingFields == ["Authorization"] && !read.headers.contains { $0.name == "Authorization" })
    client.server.change { $0.offsets = ["HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n"] }
    let elsewhere = try read.serialized(ResumeSecrets())
    let error = await #expect(throws: URLError.self) { try await client.session.upload(resumeFrom: elsewhere) }
    #expect(error?.localizedDescription.contains("the header field Authorization") == true)
  }

  // MARK: Data that somebody else wrote

  private func sample(_ change: (inout [String: Any]) -> Void) throws -> Data {
    var own: [String: Any] = [
      "version": 1, "url": "https://example.org/files", "originalURL": "https://example.org/files", "method": "POST",
      "headers": [["X-A", "1"]], "resource": "https://example.org/uploads/1", "acknowledged": 1, "length": 3,
      "body": ["data": Data("abc".utf8)],
    ]
    change(&own)
    return try PropertyListSerialization.data(
      fromPropertyList: ["URLLoadingUploadResume": own], format: .binary, options: 0)
  }

  @Test func whatIsRightIsRead() throws {
    let read = try UploadResumeData(serialized: sample { _ in })
    #expect(read.length == 3 && read.acknowledged == 1 && read.request.httpMethod == "POST")
    let again = try UploadResumeData(serialized: read.serialized())
    #expect(again.resource == read.resource && again.headers == read.headers && again.length == 3)
  }

  @Test(
    arguments: [
      ("version", 2), ("version", 0), ("version", "x"), ("url", "file:///etc/passwd"), ("url", 7),
      ("resource", "http://example.org/u"),
      ("resource", "file:///etc/passwd"), ("resource", "https:///x"), ("method", "GET"), ("method", "POST\r\nX: y"),
      ("headers", [["X", "a\r\nB: c"]]), ("headers", [["", "a"]]), ("acknowledged", 4), ("acknowledged", -1),
      ("length", -3),
      ("length", 4), ("body", ["path": "relative"]), ("body", ["path": "/tmp/x"]), ("withheldFields", ["a\nb"]),
    ] as [(String, any Sendable)])
  func whatIsWrongIsRefusedWithWords(key: String, value: any Sendable) throws {
    let data = try sample { $0[key] = value }
    #expect(throws: ResumeDataError.self, "\(key): \(value)") { try UploadResumeData(serialized: data) }
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity, 1e300, -1e300, 1e12])
  func anExpiryThatIsNoDateIsRefused(seconds: Double) throws {
    let data = try sample { $0["expiry"] = Date(timeIntervalSinceReferenceDate: seconds) }
    // Nothing is returned: to print such a date is what must not happen.
    #expect(throws: ResumeDataError.self) { _ = try UploadResumeData(serialized: data) }
  }

  @Test func resumeDataOfADownloadIsNone() throws {
    let data = try PropertyListSerialization.data(
      fromPropertyList: ["URLLoadingResume": ["version": 2]], format: .binary, options: 0)
    #expect(throws: ResumeDataError.self) { try UploadResumeData(serialized: data) }
    #expect(throws: ResumeDataError.self) { try UploadResumeData(serialized: Data(repeating: 0xFF, count: 100)) }
  }

  /// Every byte of good data replaced: read or refused, and never more.
  @Test func damagedDataDoesNoHarm() throws {
    let good = try sample { _ in }
    for index in good.indices {
      var bad = good
      bad[index] ^= UInt8.random(in: 1...255)
      _ = try? UploadResumeData(serialized: bad)
    }
  }
}
