import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

@Suite(.timeLimit(.minutes(4))) struct SuspendTests {
  private let size = DocumentRoot.largeSize

  /// Suspends and resumes a running task many times; its body must come out whole.
  @Test(arguments: [TaskKind.dataDelegate, .downloadDelegate]) func aSuspendedLoadIsByteExact(
    _ kind: TaskKind
  ) async throws {
    let nginx = try await NginxServer.shared
    let session = RecordedSession()
    let url = nginx.url("/slow/large.bin?rate=8m")
    let task = kind == .dataDelegate ? session.session.dataTask(with: url) : session.session.downloadTask(with: url)
    task.resume()
    for step in 1...8 {
      #expect(try await eventually { task.countOfBytesReceived >= Int64(step) * 700_000 || task.state == .completed })
      task.suspend()
      #expect(task.state != .running)
      task.resume()
    }
    let record = await session.run(task)
    #expect(record.error == nil && record.completions == 1)
    #expect(
      TestFiles.firstDifference(record.body, try Data(contentsOf: nginx.documentRoot.appending(path: "large.bin")))
        == nil)
  }

  @Test(arguments: [TaskKind.dataDelegate, .downloadDelegate]) func nothingComesWhileSuspended(
    _ kind: TaskKind
  ) async throws {
    let suspended = AsyncEvent()
    let server = try ScriptedServer { connection in
      _ = try connection.readRequestHead()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 33554432\r\n\r\n")
      try connection.send(Data(count: 65_536))
      _ = suspended.waitBlocking()
      for _ in 0..<511 { try connection.send(Data(count: 65_536)) }
      _ = connection.waitForPeerClose()
    }
    let session = RecordedSession()
    let task =
      kind == .dataDelegate
      ? session.session.dataTask(with: server.url()) : session.session.downloadTask(with: server.url())
    task.resume()
    #expect(try await eventually { task.countOfBytesReceived > 0 })
    task.suspend()
    suspended.signal()
    // What libcurl had in its hands may still come.
    #expect(try await !eventually(timeout: .milliseconds(500)) { task.countOfBytesReceived > 1 << 20 })
    let record = await session.run(task)
    #expect(record.body.count == 33_554_432 && record.error == nil)
  }

  @Test func suspensionsNest() async throws {
    let session = RecordedSession()
    let fake = Fake(["x"])
    let session2 = RecordedSession.fake()
    let task = session2.session.dataTask(with: fake.url())
    #expect(task.state == .suspended)
    task.suspend()
    task.suspend()
    task.resume()
    task.resume()
    #expect(task.state == .suspended)
    #expect(fake.seen.value.requests.isEmpty)
    #expect(await session2.run(task).text == "x")
    #expect(task.state == .completed)
    // After the end, both do nothing.
    task.suspend()
    task.resume()
    #expect(task.state == .completed)
    withExtendedLifetime(session) {}
  }

  @Test func resumesTooManyDoNothing() async {
    let release = AsyncEvent()
    let fake = Fake { instance in
      instance.respond()
      _ = release.waitBlocking()
      instance.finish()
    }
    let session = RecordedSession.fake()
    let task = session.session.dataTask(with: fake.url())
    task.resume()
    task.resume()
    task.resume()
    task.suspend()
    #expect(task.state == .suspended)
    task.resume()
    #expect(task.state == .running)
    release.signal()
    #expect(await session.run(task).error == nil)
    #expect(fake.seen.value.requests.count == 1)
  }

  @Test func noTimeoutWhileSuspended() async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readRequestHead()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nab")
      let more = connection.waitForPeerClose(timeout: .milliseconds(1800))
      if !more { try connection.send("cd") }
    }
    let session = RecordedSession { $0.timeoutIntervalForRequest = 1 }
    let task = session.session.dataTask(with: server.url())
    task.resume()
    #expect(await session.recorder.records.wait { $0[task.taskIdentifier]?.body.count == 2 })
    task.suspend()
    #expect(await !session.recorder.records.wait(timeout: .seconds(2)) { $0[task.taskIdentifier]?.completions == 1 })
    let record = await session.run(task)
    #expect(record.text == "abcd" && record.error == nil)
  }

  @Test func aTaskSuspendedBeforeTheResponseGoesOn() async throws {
    let answer = AsyncEvent()
    let server = try ScriptedServer.http { _ in
      _ = answer.waitBlocking()
      return HTTPResponse(text: "late")
    }
    let session = RecordedSession()
    let task = session.session.dataTask(with: server.url())
    task.resume()
    task.suspend()
    #expect(await server.waitForRequests(1))
    answer.signal()
    #expect(await session.run(task).text == "late")
  }

  @Test func cancellingASuspendedTaskEndsIt() async throws {
    let session = RecordedSession()
    let never = session.session.dataTask(with: try await NginxServer.shared.url())
    never.cancel()
    #expect(await session.recorder.records.wait { $0[never.taskIdentifier]?.completions == 1 })
    #expect(session.recorder.record(of: never.taskIdentifier).code == .cancelled)
    never.resume()
    let suspended = session.session.dataTask(with: try await NginxServer.shared.url("/slow/large.bin"))
    suspended.resume()
    #expect(try await eventually { suspended.countOfBytesReceived > 0 })
    suspended.suspend()
    suspended.cancel()
    #expect(await session.recorder.records.wait { $0[suspended.taskIdentifier]?.completions == 1 })
    #expect(session.recorder.record(of: suspended.taskIdentifier).code == .cancelled)
    #expect(try await eventually { await session.session.allTasks.isEmpty })
  }

  @Test func aSuspendedUploadStopsSending() async throws {
    let received = Watched(0)
    let server = try ScriptedServer { connection in
      guard let request = try connection.readRequestHead() else { return }
      let length = Int(request.fields["Content-Length"] ?? "") ?? 0
      while received.value < length {
        let count = try connection.readSome().count
        received.update { $0 += count }
      }
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    }
    let folder = try TemporaryDirectory()
    let file = folder.file("body")
    try TestFiles.write(count: 256 << 20, to: file)
    let session = RecordedSession()
    var request = URLRequest(url: server.url())
    request.httpMethod = "PUT"
    let task = session.session.uploadTask(with: request, fromFile: file)
    task.resume()
    #expect(await received.wait { $0 > 0 })
    task.suspend()
    #expect(await !received.wait(timeout: .milliseconds(700)) { $0 == 256 << 20 })
    #expect(await session.run(task).text == "ok")
    #expect(received.value == 256 << 20)
  }
}
