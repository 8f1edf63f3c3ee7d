import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// Memory, measured in processes of their own, since other tests run beside these.
@Suite(.enabled(if: !Sanitizing.isOn), .serialized, .timeLimit(.minutes(4))) struct MemoryTests {
  /// Bytes of this process that are in memory.
  static func resident() -> Int {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return pages * Int(getpagesize())
  }

  static func url(_ name: String, _ port: UInt16) -> URL {
    URL(string: "http://127.0.0.1:\(port)/\(name)") ?? "about:invalid"
  }

  @Test func tenThousandLoadsDoNotGrow() async throws {
    let port = try await NginxServer.shared.port()
    await #expect(processExitsWith: .success) { [port = port as UInt16] in
      let configuration = URLSessionConfiguration.ephemeral
      configuration.connectionProxyDictionary = [:]
      let session = URLSession(configuration: configuration)
      let url = MemoryTests.url("small.txt", port)
      func load(_ count: Int) async throws {
        for _ in 0..<count {
          let (data, _) = try await session.data(from: url)
          guard data.count == 1024 else { throw URLError(.cannotParseResponse) }
        }
      }
      try await load(2000)
      let before = MemoryTests.resident()
      try await load(8000)
      let growth = MemoryTests.resident() - before
      // A leak of 128 bytes a task would be 1 MiB.
      if growth > 1 << 20 { exit(3) }
    }
  }

  @Test func aLoadThatWaitsOwnsLittle() async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readRequestHead()
      _ = connection.waitForPeerClose(timeout: .seconds(60))
    }
    await #expect(processExitsWith: .success) { [port = server.port as UInt16] in
      let configuration = URLSessionConfiguration.ephemeral
      configuration.connectionProxyDictionary = [:]
      let session = URLSession(configuration: configuration)
      let url = MemoryTests.url("", port)
      /// Begins so many loads, and waits until the transfer loop has taken note of them.
      func begin(_ count: Int) async {
        for _ in 0..<count { session.dataTask(with: url) { _, _, _ in }.resume() }
        // Another host's load ends after all of them.
        _ = try? await session.data(from: URL(string: "http://127.0.0.1:1/") ?? url)
      }
      await begin(1000)
      let before = MemoryTests.resident()
      await begin(10_000)
      let each = (MemoryTests.resident() - before) / 10_000
      if each > 6000 { exit(3) }
    }
  }

  @Test func aSlowDelegateIsBounded() async throws {
    let nginx = try await NginxServer.start(largeSize: 256 << 20)
    let port = nginx.port()
    await #expect(processExitsWith: .success) { [port = port as UInt16] in
      final class Slow: NSObject, URLSessionDataDelegate, Sendable {
        let state = Watched((bytes: 0, isDone: false, peak: 0))
        func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
          let resident = MemoryTests.resident()
          let bytes = state.update { state in
            state.bytes += data.count
            state.peak = max(state.peak, resident)
            return state.bytes
          }
          // Slow at first, while everything that is ahead would pile up.
          if bytes < 16 << 20 { usleep(20_000) }
        }
        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
          state.update { $0.isDone = true }
        }
      }
      let delegate = Slow()
      let configuration = URLSessionConfiguration.ephemeral
      configuration.connectionProxyDictionary = [:]
      let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
      let before = MemoryTests.resident()
      session.dataTask(with: MemoryTests.url("large.bin", port)).resume()
      guard await delegate.state.wait(timeout: .seconds(30), until: { $0.isDone }) else { exit(4) }
      let (bytes, _, peak) = delegate.state.value
      if bytes != 256 << 20 { exit(5) }
      if peak - before > 24 << 20 { exit(3) }
    }
    await nginx.stop()
  }

  @Test func aDownloadIsNotInMemory() async throws {
    let nginx = try await NginxServer.start(largeSize: 256 << 20)
    let port = nginx.port()
    await #expect(processExitsWith: .success) { [port = port as UInt16] in
      let configuration = URLSessionConfiguration.ephemeral
      configuration.connectionProxyDictionary = [:]
      let session = URLSession(configuration: configuration)
      let before = MemoryTests.resident()
      let (file, _) = try await session.download(from: MemoryTests.url("large.bin", port))
      let growth = MemoryTests.resident() - before
      try FileManager.default.removeItem(at: file)
      if growth > 16 << 20 { exit(3) }
    }
    await nginx.stop()
  }
}
