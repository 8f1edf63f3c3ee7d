import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

@Suite struct AsyncBytesTests {
  private func session(buffer: Int = 1000) -> URLSession {
    let configuration = Puppet.configuration()
    configuration.maximumBufferedBytesPerTask = buffer
    return URLSession(configuration: configuration)
  }

  private func open(
    _ session: URLSession
  ) async throws -> (Puppet, Task<(URLSession.AsyncBytes, URLResponse), any Error>) {
    let url = Puppet.freshURL()
    let opening = Task { try await session.bytes(from: url) }
    return (try #require(await Puppet.of(url.host() ?? "")), opening)
  }

  @Test func aSlowReaderHoldsTheSenderBack() async throws {
    let session = session()
    let (puppet, opening) = try await open(session)
    puppet.respond()
    let (bytes, _) = try await opening.value
    puppet.send(Data(count: 999))
    #expect(puppet.calls.value == ["start"])
    puppet.send(Data(count: 1))
    puppet.send(Data(count: 20_000))
    #expect(puppet.calls.value == ["start", "pause"])
    var iterator = bytes.makeAsyncIterator()
    _ = try await iterator.next()
    #expect(puppet.calls.value == ["start", "pause"])
    for _ in 0..<20_999 { _ = try await iterator.next() }
    #expect(await puppet.calls.wait { $0 == ["start", "pause", "resume"] })
    puppet.finish()
    #expect(try await iterator.next() == nil)
    #expect(await puppet.calls.wait { $0.last == "stop" })
  }

  @Test func droppingTheSequenceCancels() async throws {
    let session = session()
    let url = Puppet.freshURL()
    let responding = Task {
      let puppet = await Puppet.of(url.host() ?? "")
      puppet?.respond()
      return puppet
    }
    _ = try await session.bytes(from: url).1
    let puppet = try #require(await responding.value)
    #expect(await puppet.calls.wait { $0.last == "stop" })
  }

  @Test func cancellingTheReaderEndsItsWait() async throws {
    let session = session()
    let (puppet, opening) = try await open(session)
    puppet.respond()
    let (bytes, _) = try await opening.value
    let reading = Task {
      for try await _ in bytes {}
    }
    await Task.yield()
    reading.cancel()
    await #expect(throws: (any Error).self) { try await reading.value }
    #expect(await puppet.calls.wait { $0.last == "stop" })
  }

  @Test func aReaderThatBeginsCancelledCancelsTheLoad() async throws {
    let session = session()
    let (puppet, opening) = try await open(session)
    puppet.respond()
    puppet.send("abc")
    let (bytes, _) = try await opening.value
    let reading = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      for try await _ in bytes {}
    }
    await #expect(throws: CancellationError.self) { try await reading.value }
    #expect(await puppet.calls.wait { $0.last == "stop" })
    withExtendedLifetime(bytes) {}
  }

  @Test func cancellationIsSeenAtTheNextChunk() async throws {
    let (puppet, opening) = try await open(session())
    puppet.respond()
    puppet.send("abc")
    let (bytes, _) = try await opening.value
    let reading = Task {
      var iterator = bytes.makeAsyncIterator()
      var seen: [UInt8?] = [try await iterator.next()]
      withUnsafeCurrentTask { $0?.cancel() }
      for _ in 0..<2 { seen.append(try await iterator.next()) }
      await #expect(throws: CancellationError.self) { try await iterator.next() }
      return seen
    }
    #expect(try await reading.value == Array("abc".utf8))
    #expect(await puppet.calls.wait { $0.last == "stop" })
    withExtendedLifetime(bytes) {}
  }

  @Test func cancellingBeforeTheResponse() async throws {
    let (puppet, opening) = try await open(session())
    opening.cancel()
    await #expect(throws: URLError.self) { _ = try await opening.value }
    #expect(await puppet.calls.wait { $0.last == "stop" })
  }

  @Test func anErrorComesBehindTheBytes() async throws {
    let (puppet, opening) = try await open(session())
    puppet.respond()
    puppet.send("abc")
    puppet.client?.urlProtocol(puppet, didFailWithError: URLError(.networkConnectionLost))
    let (bytes, _) = try await opening.value
    var iterator = bytes.makeAsyncIterator()
    for expected in "abc".utf8 { #expect(try await iterator.next() == expected) }
    do {
      _ = try await iterator.next()
      Issue.record("no error")
    } catch { #expect((error as? URLError)?.code == .networkConnectionLost) }
    #expect(try await iterator.next() == nil)
  }
}
