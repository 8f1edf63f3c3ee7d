import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// How stream tasks end, and what of the peer's bytes and of the owner's comes through.
@Suite(.timeLimit(.minutes(4))) struct StreamTaskEndTests: StreamTaskSuite {
  // MARK: TLS

  private func secured(_ server: StartTLSServer, _ session: URLSession, _ notes: StreamDelegateNotes) async throws
    -> URLSessionStreamTask
  {
    let task = task(session, server.port, delegate: notes)
    try await task.write(Data("STARTTLS\n".utf8), timeout: 60)
    _ = try await line(task)
    task.startSecureConnection()
    return task
  }

  /// RFC 8446, section 6.1: a peer says that it is done.
  @Test func aPeerThatSaysGoodbye() async throws {
    let server = try await StartTLSServer.start()
    let session = try await session { $0.certificateAuthorityFile = nil }
    let notes = StreamDelegateNotes(trustsAll: true)
    let task = try await secured(server, session, notes)
    try await task.write(Data("GOODBYE\n".utf8), timeout: 60)
    let (data, atEOF) = try await task.readData(ofMinLength: 10, maxLength: 10, timeout: 60)
    #expect(data == Data("bye".utf8) && atEOF)
    task.closeWrite()
    let end = try await notes.completion()
    #expect(end == nil)
    session.invalidateAndCancel()
    await server.stop()
  }

  /// Somebody on the way can end the connection, but not say so for the peer: what has come may be cut off.
  @Test(arguments: [true, false]) func aConnectionThatIsCutOff(_ isReadBefore: Bool) async throws {
    let server = try await StartTLSServer.start()
    let session = try await session()
    let notes = StreamDelegateNotes()
    let task = try await secured(server, session, notes)
    try await task.write(Data("LEAVE\n".utf8), timeout: 60)
    if isReadBefore {
      let (data, atEOF) = try await task.readData(ofMinLength: 3, maxLength: 3, timeout: 60)
      #expect(data == Data("bye".utf8) && !atEOF)
    }
    let error = await #expect(throws: URLError.self) {
      try await task.readData(ofMinLength: 4, maxLength: 10, timeout: 60)
    }
    #expect(error?.code == .networkConnectionLost, "\(String(describing: error))")
    let end = try await notes.completion()
    #expect((end as? URLError)?.code == .networkConnectionLost)
    #expect(!notes.events.value.contains("readClosed"))
    if !isReadBefore {
      // What has come is there to be read.
      let (data, atEOF) = try await task.readData(ofMinLength: 3, maxLength: 10, timeout: 60)
      #expect(data == Data("bye".utf8) && !atEOF)
    }
    session.invalidateAndCancel()
    await server.stop()
  }

  // MARK: A peer that has gone

  /// The peer sends more than may wait, says why it goes, and resets the connection. All of that is read before the end.
  @Test func lastWordsAreReadAfterAWriteHasFailed() async throws {
    let goes = DispatchSemaphore(value: 0)
    let server = try ScriptedServer { connection in
      try connection.send(Data(count: 2_000))
      _ = goes.wait(timeout: .now() + 30)
      try connection.send(Data(count: 40_000) + Data("last words".utf8))
      // What came and was not read makes this a reset.
    }
    let session = try await session { $0.maximumBufferedBytesPerTask = 1_000 }
    let notes = StreamDelegateNotes()
    let task = task(session, server.port, delegate: notes)
    try await task.write(Data("unread".utf8), timeout: 60)
    // No more is read than that.
    let isHeldBack = try await eventually { task.countOfBytesReceived == 2_000 }
    #expect(isHeldBack)
    goes.signal()
    let failure = await #expect(throws: URLError.self) {
      while true { try await task.write(Data(count: 1 << 20), timeout: 60) }
    }
    #expect(failure?.code == .networkConnectionLost, "\(String(describing: failure))")
    var received = Data()
    let error = await #expect(throws: URLError.self) {
      while true {
        let (data, atEOF) = try await task.readData(ofMinLength: 1, maxLength: 1 << 20, timeout: 60)
        received += data ?? Data()
        if atEOF { throw URLError(.networkConnectionLost) }
      }
    }
    #expect(error?.code == .networkConnectionLost, "\(String(describing: error))")
    #expect(received.count == 42_010 && received.suffix(10) == Data("last words".utf8))
    let end = try await notes.completion()
    #expect((end as? URLError)?.code == .networkConnectionLost)
    let later = await #expect(throws: URLError.self) { try await task.write(Data([1]), timeout: 1) }
    #expect(later?.code == .networkConnectionLost)
    session.invalidateAndCancel()
    _ = await server.stop()
  }

  /// A socket that is closed with bytes unread is reset, and its peer loses what it has not read.
  @Test func whatWasSentLastArrives() async throws {
    let isOver = DispatchSemaphore(value: 0)
    let received = Watched<Result<String, TestServerError>?>(nil)
    let server = try ScriptedServer { connection in
      _ = isOver.wait(timeout: .now() + 30)
      do {
        // Nobody reads this any more.
        for _ in 0..<10 { try connection.send(Data(count: 10_000)) }
        let line = try connection.readLine()
        let rest = try connection.readSome()
        received.update { $0 = .success(line + (rest.isEmpty ? "" : "?")) }
      } catch {
        received.update { $0 = .failure(TestServerError("\(error)")) }
      }
    }
    let session = try await session()
    let notes = StreamDelegateNotes()
    let task = task(session, server.port, delegate: notes)
    try await task.write(Data("last words\n".utf8), timeout: 60)
    task.closeWrite()
    task.closeRead()
    let end = try await notes.completion()
    #expect(end == nil)
    isOver.signal()
    let isReceived = try await eventually { received.value != nil }
    #expect(isReceived)
    #expect(try received.value?.get() == "last words")
    session.invalidateAndCancel()
    _ = await server.stop()
  }

  @Test func aSuspendedTaskSendsNothing() async throws {
    let server = try Self.echo()
    let session = try await session()
    let task = task(session, server.port)
    try await task.write(Data("a\n".utf8), timeout: 60)
    let before = try await line(task)
    #expect(before == "a")
    task.suspend()
    let error = await #expect(throws: URLError.self) { try await task.write(Data("b\n".utf8), timeout: 0.3) }
    #expect(error?.code == .timedOut)
    async let sent: Void = task.write(Data("c\n".utf8), timeout: 60)
    task.resume()
    try await sent
    let after = try await line(task)
    #expect(after == "c")
    session.invalidateAndCancel()
    _ = await server.stop()
  }

  // MARK: Cancellation of functions

  @Test func aReadThatIsCancelled() async throws {
    let server = try ScriptedServer { connection in
      try connection.send("ab")
      _ = try connection.readSome()
      try connection.send("cd")
      _ = connection.waitForPeerClose()
    }
    let session = try await session()
    let task = task(session, server.port)
    let reading = Task { try await task.readData(ofMinLength: 4, maxLength: 4, timeout: 0) }
    let behind = Task { [reading] in
      _ = try? await reading.value
      return try await task.readData(ofMinLength: 4, maxLength: 4, timeout: 0)
    }
    reading.cancel()
    await #expect(throws: CancellationError.self) { try await reading.value }
    // The stream is as it was.
    try await task.write(Data("go".utf8), timeout: 60)
    let (data, _) = try await behind.value
    #expect(data == Data("abcd".utf8))
    let early = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await task.readData(ofMinLength: 4, maxLength: 4, timeout: 0)
    }
    await #expect(throws: CancellationError.self) { try await early.value }
    session.invalidateAndCancel()
    _ = await server.stop()
  }

  /// A part of it was sent: the rest follows, and what is written after it is in its place.
  @Test func aWriteThatIsCancelled() async throws {
    let (reads, hasBegun) = (DispatchSemaphore(value: 0), Watched(false))
    let server = try ScriptedServer { connection in
      var count = 0
      while count < 2 { count += try connection.readSome().count }
      hasBegun.update { $0 = true }
      _ = reads.wait(timeout: .now() + 30)
      while true {
        let bytes = try connection.readSome()
        if bytes.isEmpty { break }
        count += bytes.count
      }
      try connection.send("\(count)\n")
    }
    let session = try await session()
    let task = task(session, server.port)
    try await task.write(Data([0]), timeout: 60)
    let writing = Task { try await task.write(Data(count: 64 << 20), timeout: 0) }
    let isSending = await hasBegun.wait { $0 }
    #expect(isSending)
    // Behind it, and not begun.
    let behind = Task { try await task.write(Data(count: 1_000), timeout: 0) }
    writing.cancel()
    behind.cancel()
    await #expect(throws: CancellationError.self) { try await writing.value }
    await #expect(throws: CancellationError.self) { try await behind.value }
    reads.signal()
    try await task.write(Data([0]), timeout: 60)
    task.closeWrite()
    let answer = try await line(task)
    #expect(answer == "\((64 << 20) + 2)")
    session.invalidateAndCancel()
    _ = await server.stop()
  }

  // MARK: Order

  /// The handlers of reads, then the end of input, then that of the task: whatever another thread is at.
  @Test func theOrderOfTheEnd() async throws {
    // The client closes first.
    let goes = DispatchSemaphore(value: 0)
    let server = try ScriptedServer { connection in
      _ = try connection.readSome()
      _ = goes.wait(timeout: .now() + 30)
    }
    let session = try await session()
    for number in 1...200 {
      let notes = StreamDelegateNotes()
      let task = task(session, server.port, delegate: notes)
      task.closeWrite()
      task.readData(ofMinLength: 10, maxLength: 10, timeout: 0) { data, atEOF, _ in
        notes.events.update { $0.append(data == nil && atEOF ? "read" : "?") }
      }
      // Another thread is busy with the same task while it ends.
      let busy = Task.detached {
        for _ in 0..<100 {
          task.readData(ofMinLength: 10, maxLength: 1, timeout: 0) { _, _, _ in }
          task.readData(ofMinLength: 10, maxLength: 10, timeout: 0) { _, _, _ in }
        }
      }
      goes.signal()
      await busy.value
      let end = try await notes.completion()
      #expect(end == nil)
      let events = notes.allEvents.value
      #expect(events.filter { $0 != "writeClosed" } == ["read", "readClosed", "end"], "repetition \(number)")
      #expect(events.last == "end" && events.contains("writeClosed"), "repetition \(number)")
    }
    session.invalidateAndCancel()
    _ = await server.stop()
  }
}
