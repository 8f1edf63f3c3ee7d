import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// Reads that wait for a server that says nothing, and what ends them.
@Suite(.timeLimit(.minutes(4))) struct RandomAccessCancelTests {
  private let session = URLSession(configuration: .ephemeral)

  /// A server whose second answer comes after `go`, or never; `closed` tells that its connection was closed before.
  /// - Parameter others: whether all later ones come after it, too.
  private func stalling(_ go: AsyncEvent, _ closed: AsyncEvent, others: Bool = false) throws -> RangeServer {
    try RangeServer { number, _, connection in
      guard number == 2 || (others && number > 2) else { return }
      while !go.isSignalled {
        if connection.waitForPeerClose(timeout: .milliseconds(10)) {
          closed.signal()
          throw RangeServer.Done()
        }
      }
    }
  }

  private func expectCancelled(_ task: Task<Data, any Error>) async throws {
    let error = try await #require(throws: URLError.self) { try await task.value }
    #expect(error.code == .cancelled)
  }

  @Test func cancellingAReaderEndsItsReadAndTheLoad() async throws {
    let (go, closed) = (AsyncEvent(), AsyncEvent())
    let server = try stalling(go, closed)
    let resource = try await session.randomAccess(to: server.url, options: .small())
    let reader = resource.makeReader()
    let reading = Task { try await reader.bytes(at: 50_000, count: 10) }
    #expect(await server.server.waitForRequests(2))
    reader.cancel()
    try await expectCancelled(reading)
    #expect(await closed.wait())
    // All later reads of it, too; others go on.
    try await expectCancelled(Task { try await reader.bytes(at: 0, count: 10) })
    #expect(try await resource.makeReader().bytes(at: 50_000, count: 10) == server.body[50_000..<50_010])
  }

  @Test func cancellingOneOfTwoLeavesTheOther() async throws {
    let (go, closed) = (AsyncEvent(), AsyncEvent())
    // The others may ask again, where their reads begin after the first was cancelled.
    let server = try stalling(go, closed, others: true)
    let resource = try await session.randomAccess(to: server.url, options: .small())
    let (one, other) = (resource.makeReader(), resource.makeReader())
    let first = Task { try await one.bytes(at: 50_000, count: 10) }
    #expect(await server.server.waitForRequests(2))
    let second = Task { try await other.bytes(at: 50_500, count: 10) }
    let third = Task { try await resource.read(at: 50_600, count: 10) }
    one.cancel()
    try await expectCancelled(first)
    third.cancel()
    try await expectCancelled(third)
    go.signal()
    #expect(try await second.value == server.body[50_500..<50_510])
  }

  @Test func cancellingATaskEndsItsReadAndTheLoad() async throws {
    let (go, closed) = (AsyncEvent(), AsyncEvent())
    let server = try stalling(go, closed)
    let resource = try await session.randomAccess(to: server.url, options: .small())
    let reading = Task { try await resource.read(at: 50_000, count: 10) }
    #expect(await server.server.waitForRequests(2))
    reading.cancel()
    try await expectCancelled(reading)
    #expect(await closed.wait())
    #expect(try await resource.read(at: 50_000, count: 10) == server.body[50_000..<50_010])
  }

  @Test func closingEndsEverything() async throws {
    let (go, closed) = (AsyncEvent(), AsyncEvent())
    let server = try stalling(go, closed)
    let resource = try await session.randomAccess(to: server.url, options: .small())
    let reader = resource.makeReader()
    let blocking = Task { try await reader.bytes(at: 50_000, count: 10) }
    let suspended = Task { try await resource.read(at: 50_000, count: 10) }
    #expect(await server.server.waitForRequests(2))
    resource.close()
    try await expectCancelled(blocking)
    try await expectCancelled(suspended)
    #expect(await closed.wait())
    try await expectCancelled(Task { try await resource.read(at: 0, count: 10) })
    try await expectCancelled(Task { try await reader.bytes(at: 0, count: 10) })
  }

  @Test func whatIsReadAheadEndsWithItsReader() async throws {
    let closed = AsyncEvent()
    let server = try RangeServer { number, _, connection in
      // The answer to what is read ahead beyond the second read.
      guard number == 3 else { return }
      if connection.waitForPeerClose(timeout: .seconds(20)) { closed.signal() }
      throw RangeServer.Done()
    }
    let resource = try await session.randomAccess(to: server.url, options: .small(ahead: 8000))
    var reader: RandomAccessReader? = resource.makeReader()
    // The first load, then 1 block ahead, then 2.
    for block in 0..<3 {
      #expect(
        try await reader?.bytes(at: Int64(block * 1000), count: 1000)
          == server.body[block * 1000..<block * 1000 + 1000])
    }
    #expect(await server.server.waitForRequests(3), "\(server.ranges)")
    reader = nil
    #expect(await closed.wait(), "\(server.ranges)")
  }

  @Test func nobodyHoldsAResourceThatIsLoading() async throws {
    let closed = AsyncEvent()
    let server = try ScriptedServer { connection in
      guard try connection.readRequest() != nil else { return }
      try connection.send(
        "HTTP/1.1 206 Part\r\nContent-Range: bytes 0-999/5000\r\nETag: \"a\"\r\nContent-Length: 1000\r\n\r\nbegin")
      if connection.waitForPeerClose() { closed.signal() }
    }
    var resource: RandomAccessResource? = try await session.randomAccess(to: server.url(), options: .small())
    #expect(resource?.length == 5000)
    resource = nil
    #expect(await closed.wait())
  }

  @Test func cancellingTheOpeningEndsIt() async throws {
    let closed = AsyncEvent()
    let server = try ScriptedServer { connection in
      guard try connection.readRequest() != nil else { return }
      if connection.waitForPeerClose() { closed.signal() }
    }
    let session = session
    let opening = Task { _ = try await session.randomAccess(to: server.url()) }
    #expect(await server.waitForRequests(1))
    opening.cancel()
    let error = try await #require(throws: URLError.self) { try await opening.value }
    #expect(error.code == .cancelled)
    #expect(await closed.wait())
    let late = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      _ = try await session.randomAccess(to: server.url())
    }
    await #expect(throws: URLError.self) { try await late.value }
  }

  @Test func cancellingAtAnyMomentLeavesTheOthersTheirBytes() async throws {
    let server = try RangeServer(count: 400_000)
    let resource = try await session.randomAccess(to: server.url, options: .small(cached: 20_000, ahead: 4000))
    try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<40 {
        group.addTask {
          var random = SeededGenerator(seed: UInt64(number))
          var wrong = 0
          for _ in 0..<20 {
            let start = Int.random(in: 0..<390_000, using: &random)
            let count = Int.random(in: 1...9000, using: &random)
            let reading = Task { try await resource.read(at: Int64(start), count: count) }
            if number.isMultiple(of: 2) {
              for _ in 0..<Int.random(in: 0..<50, using: &random) { await Task.yield() }
              reading.cancel()
              _ = await reading.result
            } else if try await reading.value != server.body[start..<start + count] {
              wrong += 1
            }
          }
          return wrong
        }
      }
      for try await wrong in group { #expect(wrong == 0) }
    }
  }
}
