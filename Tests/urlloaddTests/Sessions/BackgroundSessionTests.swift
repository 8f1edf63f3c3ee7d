import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// What programs see of a background session.
@Suite(.timeLimit(.minutes(5))) struct BackgroundSessionTests {
  private let fixture: BackgroundFixture

  init() throws { fixture = try BackgroundFixture() }

  @Test func theSecondProgramWithAnIdentifierIsRefused() async throws {
    let server = try OutlivingTests.slowServer()
    let first = try fixture.program("shared", "download:\(server.url("/a"))")
    #expect(try await first.says("wrote"))
    let second = try fixture.program("shared", "download:\(server.url("/b"))")
    #expect(try await second.says("ended 1 -996"), "\(second.lines)")
    // Under another name it has tasks of its own.
    let third = try fixture.program("other", "download:\(server.url("/c"))")
    #expect(try await third.says("ended 1 0 200"), "\(third.lines)")
    #expect(try await first.says("ended 1 0 200"), "\(first.lines)")
    for program in [first, second, third] { await program.kill() }
    await fixture.stop()
  }

  /// An identifier is one of the user's, whatever the executables.
  @Test func aSecondProgramOfAnotherExecutableIsRefused() async throws {
    let server = try OutlivingTests.slowServer(held: 1)
    let first = try fixture.program("shared", "download:\(server.url("/a"))")
    #expect(try await first.says("wrote", timeout: .seconds(60)), "\(first.lines)")
    let other = fixture.directory.file("OtherWorker").path
    try await BuiltProgram.copy(BackgroundProgram.workerPath, to: other)
    let second = try fixture.program("shared", arguments: ["download:\(server.url("/b"))"], of: [other])
    #expect(try await second.says("ended 1 -996", timeout: .seconds(60)), "\(second.lines)")
    #expect(second.all("has").isEmpty, "\(second.lines)")
    // Session and task are the first one's as before.
    let jobs = try await fixture.control().jobs()
    #expect(jobs.map(\.state) == ["loads"], "\(jobs)")
    let name = (BackgroundProgram.workerPath as NSString).lastPathComponent
    #expect(jobs.first?.program.hasPrefix("\(name)-") == true, "\(jobs)")
    for program in [first, second] { await program.kill() }
    await fixture.stop()
  }

  @Test func anIdentifierIsFreeWhenItsSessionIsInvalid() async throws {
    let server = try OutlivingTests.slowServer()
    let first = try fixture.program("one", "download:\(server.url("/a"))")
    #expect(try await first.says("ended"))
    first.tell("invalidate")
    #expect(try await first.says("invalid"))
    let second = try fixture.program("one", "download:\(server.url("/b"))")
    #expect(try await second.says("ended"), "\(second.lines)")
    #expect(second.all("ended").first?.hasSuffix(" 0 200") == true, "\(second.lines)")
    for program in [first, second] { await program.kill() }
    await fixture.stop()
  }

  @Test func aSessionFindsTheTasksOfTheOneBefore() async throws {
    let server = try OutlivingTests.slowServer(pause: 10_000)
    let first = try fixture.program("test", "download:\(server.url("/a"))", "download:\(server.url("/b"))")
    #expect(try await first.says("wrote 2"))
    await first.kill()
    let second = try fixture.program("test", "download:\(server.url("/c"))")
    #expect(try await second.says("resumed 3"), "\(second.lines)")
    #expect(second.all("has") == ["1 \(server.url("/a"))", "2 \(server.url("/b"))"])
    for number in 1...3 { #expect(try await second.says("ended \(number) 0 200"), "\(second.lines)") }
    await second.kill()
    await fixture.stop()
  }

  @Test func withoutTheServiceTasksFailWithWords() async throws {
    let program = try fixture.program(
      "test", "download:http://127.0.0.1:9/a", environment: ["URLLOADD": "/nowhere/urlloadd"])
    #expect(try await program.says("ended 1 -997", timeout: .seconds(60)), "\(program.lines)")
    #expect(program.lines.contains { $0.contains("urlloadd") && $0.contains("/nowhere/urlloadd") }, "\(program.lines)")
    await program.kill()
    await fixture.stop()
  }

  @Test func completionHandlersAreRefused() async throws {
    let program = try fixture.program("test", "handler:http://127.0.0.1:9/a")
    #expect(try await program.says("handled"), "\(program.lines)")
    #expect(program.lines.contains { $0.contains("delegate alone") }, "\(program.lines)")
    await program.kill()
    await fixture.stop()
  }

  @Test func aSchemeThatNobodyHasFails() async throws {
    let program = try fixture.program("test", "download:tape://reel/1")
    #expect(try await program.says("ended 1 -1002"), "\(program.lines)")
    await program.kill()
    await fixture.stop()
  }

  @Test func suspendedTasksStopAndGoOn() async throws {
    let server = try OutlivingTests.slowServer(pause: 5000)
    let program = try fixture.program("test", "download:\(server.url("/a"))")
    #expect(try await program.says("wrote"))
    program.tell("suspend 1")
    #expect(await server.waitForIdle())
    program.tell("resume 1")
    #expect(try await program.says("ended 1 0"), "\(program.lines)")
    #expect(
      try TestFiles.firstDifference(in: fixture.taken.appending(path: "1"), count: 3_000_000, seed: 30) == nil)
    #expect(server.requests.last?.fields["Range"] != nil)
    await program.kill()
    await fixture.stop()
  }

  @Test func cancelledTasksLeaveNothing() async throws {
    let server = try OutlivingTests.slowServer(pause: 5000)
    let program = try fixture.program("test", "download:\(server.url("/a"))")
    #expect(try await program.says("wrote"))
    program.tell("cancel 1")
    #expect(try await program.says("ended 1 -999"), "\(program.lines)")
    #expect(await server.waitForIdle())
    #expect(try await eventually { fixture.files.isEmpty }, "\(fixture.files)")
    await program.kill()
    await fixture.stop()
  }

  @Test func resumeDataOfACancelledTaskContinues() async throws {
    let server = try OutlivingTests.slowServer(pause: 3000)
    let program = try fixture.program("test", "download:\(server.url("/a"))")
    #expect(try await program.says("wrote"))
    program.tell("cancel-for-data 1")
    #expect(try await program.says("resumed 2"), "\(program.lines)")
    #expect(try await program.says("ended 2 0"), "\(program.lines)")
    #expect(server.requests.last?.fields["Range"] != nil, "\(program.lines)")
    #expect(
      try TestFiles.firstDifference(in: fixture.taken.appending(path: "2"), count: 3_000_000, seed: 30) == nil)
    await program.kill()
    await fixture.stop()
  }

  @Test func challengesGoToTheProgram() async throws {
    let server = try ScriptedServer.http { request in
      guard request.fields["Authorization"] == "Basic dTpw" else {
        return HTTPResponse(401, fields: ["WWW-Authenticate": "Basic realm=\"r\""], text: "no")
      }
      return HTTPResponse(text: "yes")
    }
    let program = try fixture.program("test", "--password", "u:p", "download:\(server.url("/a"))")
    #expect(try await program.says("ended 1 0 200"), "\(program.lines)")
    #expect(program.all("asked").count == 1)
    await program.kill()
    await fixture.stop()
  }

  @Test func aChallengeWaitsForItsProgram() async throws {
    let isAlone = AsyncEvent()
    let server = try ScriptedServer.http { request in
      guard isAlone.waitBlocking() else { return HTTPResponse(503, text: "the program does not end") }
      guard request.fields["Authorization"] == "Basic dTpw" else {
        return HTTPResponse(401, fields: ["WWW-Authenticate": "Basic realm=\"r\""], text: "no")
      }
      return HTTPResponse(text: "yes")
    }
    try await fixture.leave("test", "download:\(server.url("/a"))")
    isAlone.signal()
    #expect(await server.waitForRequests(1))
    #expect(await server.waitForIdle())
    let program = try fixture.program("test", "--password", "u:p")
    #expect(try await program.says("ended 1 0 200"), "\(program.lines)")
    await program.kill()
    await fixture.stop()
  }

  /// A service that was started again asks again while the delegate still thinks: its answer is that to the newest question.
  @Test func aQuestionOutlivesTheService() async throws {
    let server = try ScriptedServer.http { request in
      guard request.fields["Authorization"] == "Basic dTpw" else {
        return HTTPResponse(401, fields: ["WWW-Authenticate": "Basic realm=\"r\""], text: "no")
      }
      return HTTPResponse(text: "yes")
    }
    let program = try fixture.program("test", "--password", "u:p", "--answers-later", "download:\(server.url("/a"))")
    #expect(try await program.says("asked 1"), "\(program.lines)")
    try await fixture.killService()
    // The new service may try before its program is there again, and asks when it is.
    #expect(
      try await eventually {
        let control = try? BackgroundControl(at: fixture.place)
        return try server.requests.count > 1 && control?.jobs().first?.state == "loads"
      })
    program.tell("answer")
    #expect(try await program.says("ended 1 0 200"), "\(program.lines)")
    // An answer that comes between the two questions is not one to the second.
    #expect(program.all("asked").count <= 2, "\(program.lines)")
    await program.kill()
    await fixture.stop()
  }

  /// The service that goes on with a transfer knows no credential that the one before was given.
  @Test func aServerAsksAgainBehindAKill() async throws {
    let body = TestFiles.pattern(count: 3_000_000, seed: 35)
    let server = try ScriptedServer { connection in
      while let request = try connection.readRequest() {
        guard request.fields["Authorization"] == "Basic dTpw" else {
          try connection.send("HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm=\"r\"\r\nContent-Length: 0\r\n\r\n")
          continue
        }
        let start = request.fields["Range"].flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0
        let range =
          start == 0 ? "200 OK" : "206 Partial\r\nContent-Range: bytes \(start)-\(body.count - 1)/\(body.count)"
        try connection.send(
          "HTTP/1.1 \(range)\r\nETag: \"35\"\r\nAccept-Ranges: bytes\r\nContent-Length: \(body.count - start)\r\n\r\n")
        guard start == 0 else {
          try connection.send(body[start...])
          continue
        }
        try connection.send(body[..<2_000_000])
        _ = connection.waitForPeerClose(timeout: .seconds(60))
        return
      }
    }
    let program = try fixture.program("test", "--password", "u:p", "download:\(server.url("/a"))")
    #expect(try await program.says("wrote"), "\(program.lines)")
    let control = try BackgroundControl(at: fixture.place)
    #expect(try await eventually { try control.jobs().first?.progress.received == 2_000_000 })
    try await fixture.killService()
    #expect(try await program.says("ended 1 0 20"), "\(program.lines)")
    #expect(program.all("asked").count == 2, "\(program.lines)")
    #expect(try TestFiles.firstDifference(in: fixture.taken.appending(path: "1"), count: body.count, seed: 35) == nil)
    await program.kill()
    await fixture.stop()
  }

  /// Reports of progress are apart from each other: what comes between two is told without more that would come.
  @Test func whatCameBeforeAServerStallsIsReported() async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readRequest()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
      for _ in 0..<9 {
        try connection.send(Data(count: 100))
        usleep(5000)
      }
      _ = connection.waitForPeerClose(timeout: .seconds(120))
    }
    let program = try fixture.program("test", "download:\(server.url("/a"))")
    #expect(try await program.says("wrote"), "\(program.lines)")
    let control = try BackgroundControl(at: fixture.place)
    #expect(try await eventually { try control.jobs().first?.progress.received == 900 })
    await program.kill()
    await fixture.stop()
  }

  /// The handler waits for the service, which its session hears meanwhile.
  @Test func aTaskIsResumedInTheHandlerOfItsResumeData() async throws {
    let server = try OutlivingTests.slowServer(held: 1)
    let program = try fixture.program("test", "download:\(server.url("/a"))")
    #expect(try await program.says("wrote"), "\(program.lines)")
    program.tell("continue 1")
    // Below the longest time that a command is waited for.
    #expect(try await program.says("resumed 2", timeout: .seconds(20)), "\(program.lines)")
    #expect(try await program.says("ended 2 0 20"), "\(program.lines)")
    await program.kill()
    await fixture.stop()
  }

  /// A living program hears of tasks that the next service does not have.
  @Test func aTaskThatTheServiceHasLostEnds() async throws {
    let server = try OutlivingTests.slowServer(held: 1)
    let program = try fixture.program("test", "download:\(server.url("/a"))")
    #expect(try await program.says("wrote"), "\(program.lines)")
    try await fixture.killService()
    for name in ["queue.sqlite", "queue.sqlite-wal", "queue.sqlite-shm"] {
      try? FileManager.default.removeItem(at: fixture.state.appending(path: name))
    }
    let code = URLError.Code.backgroundSessionWasDisconnected.rawValue
    #expect(try await program.says("ended 1 \(code)"), "\(program.lines)")
    // Later ones have other numbers.
    program.tell("make download:\(server.url("/b"))")
    #expect(try await program.says("ended 2 0 200"), "\(program.lines)")
    await program.kill()
    await fixture.stop()
  }

  @Test func theResponseOfAnUploadComesOnce() async throws {
    let server = try ScriptedServer.http { _ in HTTPResponse(text: "thanks") }
    let file = fixture.directory.file("source")
    try Data("body".utf8).write(to: file)
    let program = try fixture.program("test", "upload:\(file.path),\(server.url("/up"))")
    #expect(try await program.says("ended 1 0 200"), "\(program.lines)")
    #expect(program.all("response") == ["1 200"])
    #expect(program.all("data") == ["1 6"])
    await program.kill()
    await fixture.stop()
  }

  @Test func aDelayedTaskBeginsAtItsDate() async throws {
    let server = try OutlivingTests.slowServer(pause: 0)
    let program = try fixture.program("test", "--delay", "1.5", "download:\(server.url("/a"))")
    let start = Date()
    #expect(try await program.says("delayed 1"), "\(program.lines)")
    #expect(Date().timeIntervalSince(start) > 0.5)
    #expect(try await program.says("ended 1 0 200"), "\(program.lines)")
    await program.kill()
    await fixture.stop()
  }

  @Test func theResourceTimeoutCountsOverPrograms() async throws {
    let program = try fixture.program("test", "--resource-timeout", "2", "download:http://127.0.0.1:9/a")
    #expect(try await program.says("ended 1 -1001"), "\(program.lines)")
    await program.kill()
    await fixture.stop()
  }

  @Test func eventsComeInTheOrderOfTheirEnds() async throws {
    let place = fixture.place
    // Each is answered when so many others have ended.
    let server = try ScriptedServer.http { request in
      let before = ["/5": 0, "/3": 1, "/1": 2][request.path] ?? 0
      for _ in 0..<6000 {
        let ended = try? BackgroundControl(at: place).jobs().count { $0.state == "done" }
        if ended ?? 0 >= before { break }
        usleep(10_000)
      }
      return HTTPResponse(text: request.path)
    }
    try await fixture.leave(
      "test", "download:\(server.url("/1"))", "download:\(server.url("/3"))", "download:\(server.url("/5"))")
    #expect(await server.waitForRequests(3))
    #expect(try await eventually { fixture.files.filter { $0.hasSuffix(".body") }.count == 3 }, "\(fixture.files)")
    let program = try fixture.program()
    #expect(try await program.says("finished-events"))
    let events = program.lines.filter { $0.hasPrefix("ended") || $0.hasPrefix("finished") }
    #expect(events == ["ended 3 0 200", "ended 2 0 200", "ended 1 0 200", "finished-events"])
    await program.kill()
    await fixture.stop()
  }

  /// A task whose number is smaller than that of the last is a repetition to the service: numbers arrive in order.
  @Test func tasksOfManyThreadsAllArrive() async throws {
    let server = try ScriptedServer.http { _ in HTTPResponse(text: "ok") }
    let program = try fixture.program("test", "--quiet", "--at-once", "--many", "200", "download:\(server.url("/a"))")
    #expect(try await program.says("ends 200", timeout: .seconds(60)), "\(program.lines)")
    await program.kill()
    await fixture.stop()
  }
}
