import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// Loads by tasks that prefer the executor on which transfers run.
@Suite(.timeLimit(.minutes(4))) struct LoadingExecutorTests {
  /// As the kernel has it; the loop names its thread.
  private static var threadName: String {
    (try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8))?.split(separator: "\n").first.map(
      String.init) ?? ""
  }

  private static let loopName = "url-transfers"

  private static func makeSession() -> URLSession {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.connectionProxyDictionary = [:]
    return URLSession(configuration: configuration)
  }

  @Test func aLoadReturnsOnTheLoopsThread() async throws {
    let server = try ScriptedServer.http { HTTPResponse(text: $0.path) }
    let session = Self.makeSession()
    defer { session.invalidateAndCancel() }
    let names = try await withTaskExecutorPreference(URLSession.loadingExecutor) {
      var names = [Self.threadName]
      for number in 0..<10 {
        let (data, _) = try await session.data(from: server.url("/\(number)"))
        #expect(String(decoding: data, as: UTF8.self) == "/\(number)")
        names.append(Self.threadName)
      }
      return names
    }
    #expect(names.allSatisfy { $0 == Self.loopName }, "\(names)")
    #expect(server.connectionCount == 1)
    #expect(Self.threadName != Self.loopName)
  }

  @Test func manyLoadAtOnce() async throws {
    let server = try ScriptedServer.http { HTTPResponse(text: $0.path) }
    let session = Self.makeSession()
    defer { session.invalidateAndCancel() }
    let count = try await withTaskExecutorPreference(URLSession.loadingExecutor) {
      try await withThrowingTaskGroup(of: Bool.self) { group in
        for number in 0..<200 {
          group.addTask {
            let (data, _) = try await session.data(from: server.url("/\(number)"))
            return String(decoding: data, as: UTF8.self) == "/\(number)" && Self.threadName == Self.loopName
          }
        }
        return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
    }
    #expect(count == 200)
  }

  @Test(arguments: ["data:,text", "file:///etc/hostname"])
  func otherSchemesReturnOnTheLoopsThread(_ url: String) async throws {
    let session = Self.makeSession()
    defer { session.invalidateAndCancel() }
    let url = try #require(URL(string: url))
    let name = try await withTaskExecutorPreference(URLSession.loadingExecutor) {
      let (data, _) = try await session.data(from: url)
      #expect(!data.isEmpty)
      return Self.threadName
    }
    #expect(name == Self.loopName)
  }

  @Test func aLoadIsCancelled() async throws {
    let arrived = AsyncEvent()
    let server = try ScriptedServer { connection in
      _ = try connection.readRequestHead()
      arrived.signal()
      _ = try connection.readRequestHead()
    }
    let session = Self.makeSession()
    defer { session.invalidateAndCancel() }
    let task = Task(executorPreference: URLSession.loadingExecutor) {
      do {
        _ = try await session.data(from: server.url("/"))
        return (URLError.Code.unknown, Self.threadName)
      } catch {
        return ((error as? URLError)?.code ?? .unknown, Self.threadName)
      }
    }
    #expect(await arrived.wait())
    task.cancel()
    let (code, name) = await task.value
    #expect(code == .cancelled)
    #expect(name == Self.loopName)
  }

  /// A task that always has something to do delays transfers, and does not starve them.
  @Test func aTaskThatYieldsForEverStarvesNoTransfer() async throws {
    let server = try ScriptedServer.http { HTTPResponse(text: $0.path) }
    let session = Self.makeSession()
    defer { session.invalidateAndCancel() }
    let busy = Task(executorPreference: URLSession.loadingExecutor) {
      while !Task.isCancelled { await Task.yield() }
    }
    defer { busy.cancel() }
    for number in 0..<20 {
      let (data, _) = try await session.data(from: server.url("/\(number)"))
      #expect(String(decoding: data, as: UTF8.self) == "/\(number)")
      let other = try await withTaskExecutorPreference(URLSession.loadingExecutor) {
        try await session.data(from: server.url("/other")).0
      }
      #expect(String(decoding: other, as: UTF8.self) == "/other")
    }
  }
}
