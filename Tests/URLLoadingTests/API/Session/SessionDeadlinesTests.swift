import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

@Suite struct SessionDeadlinesTests {
  private func session(request: Double = 60, resource: Double = 600) -> URLSession {
    let configuration = Puppet.configuration()
    configuration.timeoutIntervalForRequest = request
    configuration.timeoutIntervalForResource = resource
    return URLSession(configuration: configuration)
  }

  @Test(arguments: [(0.1, 600.0), (60.0, 0.1)])
  func fires(request: Double, resource: Double) async throws {
    let session = session(request: request, resource: resource)
    let start = ContinuousClock.now
    do {
      _ = try await session.data(from: Puppet.freshURL())
      Issue.record("no timeout")
    } catch { #expect((error as? URLError)?.code == .timedOut) }
    let took = start.duration(to: .now)
    #expect(took >= .milliseconds(100))
    // Not the other timeout. The bound is wide because other tests take their share of the processor.
    #expect(took < .seconds(50))
  }

  @Test func anEarlierDeadlineOvertakesALaterOne() async throws {
    let session = session()
    let long = session.dataTask(with: Puppet.freshURL())
    long.resume()
    var request = URLRequest(url: Puppet.freshURL())
    request.timeoutInterval = 0.1
    await #expect(throws: URLError.self) { _ = try await session.data(for: request) }
    #expect(long.state == .running)
    long.cancel()
  }

  @Test func suspendedTasksHaveNoRequestTimeout() async throws {
    let session = session(request: 0.1)
    let url = Puppet.freshURL()
    let ended = Watched<URLError?>(nil)
    let task = session.dataTask(with: url) { _, _, error in ended.update { $0 = error as? URLError } }
    task.resume()
    _ = try #require(await Puppet.of(url.host() ?? ""))
    task.suspend()
    // Another load of the session times out meanwhile: the timer is at work.
    await #expect(throws: URLError.self) { _ = try await session.data(from: Puppet.freshURL()) }
    #expect(ended.value == nil)
    task.resume()
    #expect(await ended.wait { $0?.code == .timedOut })
  }

  @Test func endedLoadsAreLetGo() async throws {
    let session = session()
    weak var load: Load?
    func run() async throws {
      let url = Puppet.freshURL()
      let ended = AsyncEvent()
      let task = session.dataTask(with: url) { _, _, _ in ended.signal() }
      load = task.load
      task.resume()
      let puppet = try #require(await Puppet.of(url.host() ?? ""))
      puppet.respond()
      puppet.finish()
      #expect(await ended.wait())
    }
    try await run()
    #expect(try await eventually { load == nil })
  }

  @Test func extremeTimeouts() {
    #expect(Duration(timeout: .infinity) == nil)
    #expect(Duration(timeout: .nan) == nil)
    #expect(Duration(timeout: .greatestFiniteMagnitude) == nil)
    #expect(Duration(timeout: -1) == .zero)
    #expect(Duration(timeout: 0.25) == .milliseconds(250))
    for seconds in [0, 0.001, 1, 3_153_599_999] {
      guard case .nanoseconds(let count)? = Duration(timeout: seconds)?.dispatchInterval else {
        Issue.record("no nanoseconds")
        continue
      }
      #expect(count > 0)
    }
  }
}
