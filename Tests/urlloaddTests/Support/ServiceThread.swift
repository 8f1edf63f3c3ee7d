import Foundation
import URLLoading
import URLLoadingTestServers

@testable import urlloadd

/// A transfer service in the process of the tests, which is told what the network costs, or by its options looks at what a test says.
/// Programs find it by the socket of a fixture. They are to be killed before it is stopped, or they start another.
final class ServiceThread: Sendable {
  private let loop: ServiceLoop
  private let hasEnded: AsyncEvent

  /// - Parameter configure: changes what the service goes by.
  init(_ fixture: BackgroundFixture, configure: (inout TransferService.Options) -> Void = { _ in }) throws {
    var options = TransferService.Options(state: fixture.state.path, idleTime: nil, mostTasks: 1000)
    configure(&options)
    let (started, ended) = (Watched<Result<ServiceLoop, any Error>?>(nil), AsyncEvent())
    Thread.detachNewThread { [place = fixture.place, options] in
      defer { ended.signal() }
      do {
        let service = try TransferService(options, listener: Listener(at: place))
        started.update { $0 = .success(service.loop) }
        service.run()
        for transfer in service.transfers.values { transfer.end() }
      } catch {
        started.update { $0 = .failure(error) }
      }
    }
    guard started.waitBlocking(until: { $0 != nil }), let result = started.value else {
      throw TestServerError("the service did not start")
    }
    loop = try result.get()
    hasEnded = ended
  }

  /// Says what the network costs, and has nobody ask.
  func setMetered(_ isMetered: Bool) async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      loop.post { service in
        service.nextCostLook = .distantFuture
        service.networkCosts(NetworkCost(isMetered: isMetered))
        continuation.resume()
      }
    }
  }

  func stop() async {
    loop.post { $0.end() }
    _ = await hasEnded.wait()
  }
}
