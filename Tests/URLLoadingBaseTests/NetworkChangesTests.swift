import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoadingBase

/// What the kernel would tell comes through a pair of sockets here; `WaitingForConnectivityTests` has the kernel itself.
@Suite(.timeLimit(.minutes(4))) struct NetworkChangesTests {
  /// Both ends of a connection that keeps messages apart, as netlink does.
  private struct Pair {
    let near: Int32
    let far: Int32

    init() throws {
      var ends: [Int32] = [-1, -1]
      guard socketpair(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
        throw TestServerError.system("socketpair")
      }
      (near, far) = (ends[0], ends[1])
    }

    func tell(_ count: Int = 1) {
      let message = [UInt8](repeating: 7, count: 1500)
      for _ in 0..<count { #expect(send(far, message, message.count, Int32(MSG_NOSIGNAL)) == message.count) }
    }
  }

  private static let never = Duration.seconds(3600)

  @Test func aMessageIsAChange() async throws {
    let pair = try Pair()
    defer { close(pair.far) }
    let changes = NetworkChanges(descriptor: pair.near)
    let told = AsyncEvent()
    _ = changes.wait(since: changes.count, atMost: Self.never) { told.signal() }
    pair.tell()
    #expect(await told.wait())
    #expect(changes.count == 1)
    // It listens on.
    let again = AsyncEvent()
    _ = changes.wait(since: changes.count, atMost: Self.never) { again.signal() }
    pair.tell()
    #expect(await again.wait())
  }

  @Test func aBurstIsToldOnce() async throws {
    let pair = try Pair()
    defer { close(pair.far) }
    let changes = NetworkChanges(descriptor: pair.near)
    let told = Watched(0)
    for _ in 0..<100 { _ = changes.wait(since: changes.count, atMost: Self.never) { told.update { $0 += 1 } } }
    pair.tell(8)
    #expect(await told.wait { $0 == 100 })
    // Who waits is told once, whatever comes.
    let last = AsyncEvent()
    _ = changes.wait(since: changes.count, atMost: Self.never) { last.signal() }
    changes.recordChange()
    #expect(await last.wait())
    #expect(told.value == 100)
  }

  @Test func aChangeThatCameBeforeCounts() async {
    let changes = NetworkChanges(descriptor: -1)
    let count = changes.count
    changes.recordChange()
    let told = AsyncEvent()
    _ = changes.wait(since: count, atMost: Self.never) { told.signal() }
    #expect(await told.wait())
  }

  @Test func withoutTheKernelThereIsTheTime() async {
    let changes = NetworkChanges(descriptor: -1)
    let told = Watched<[Int]>([])
    for (index, milliseconds) in [400, 100, 700].enumerated() {
      _ = changes.wait(since: 0, atMost: .milliseconds(milliseconds)) { told.update { $0.append(index) } }
    }
    #expect(await told.wait { $0.count == 3 })
    #expect(told.value == [1, 0, 2])
  }

  @Test func allAreToldInTheirOrder() async {
    let changes = NetworkChanges(descriptor: -1)
    let told = Watched<[Int]>([])
    for index in 0..<1000 { _ = changes.wait(since: 0, atMost: Self.never) { told.update { $0.append(index) } } }
    changes.recordChange()
    #expect(await told.wait { $0.count == 1000 })
    #expect(told.value == Array(0..<1000))
  }

  @Test func whoDoesNotWaitAnyMoreIsNotTold() async {
    let changes = NetworkChanges(descriptor: -1)
    let told = Watched<[Int]>([])
    let first = changes.wait(since: 0, atMost: Self.never) { told.update { $0.append(1) } }
    _ = changes.wait(since: 0, atMost: Self.never) { told.update { $0.append(2) } }
    changes.cancel(first)
    changes.cancel(first)
    changes.recordChange()
    #expect(await told.wait { !$0.isEmpty })
    #expect(told.value == [2])
  }

  @Test func whatAnActionHoldsIsReleased() async throws {
    final class Held: Sendable {}
    let changes = NetworkChanges(descriptor: -1)
    weak var cancelled: Held?
    weak var called: Held?
    let told = AsyncEvent()
    do {
      let (first, second) = (Held(), Held())
      (cancelled, called) = (first, second)
      changes.cancel(changes.wait(since: 0, atMost: Self.never) { withExtendedLifetime(first) {} })
      _ = changes.wait(since: 0, atMost: Self.never) { withExtendedLifetime(second) { told.signal() } }
    }
    #expect(cancelled == nil && called != nil)
    changes.recordChange()
    #expect(await told.wait())
    #expect(try await eventually { called == nil })
  }

  @Test func whatTheResultsMean() throws {
    #expect(NetworkChanges.judge(20, 0) == .change)
    // Messages were lost: all may be other than it was.
    #expect(NetworkChanges.judge(-1, ENOBUFS) == .change)
    #expect(NetworkChanges.judge(-1, EAGAIN) == .nothing)
    #expect(NetworkChanges.judge(-1, EBADF) == .broken)
    let pair = try Pair()
    defer {
      close(pair.near)
      close(pair.far)
    }
    #expect(NetworkChanges.take(from: pair.near) == .nothing)
    pair.tell(3)
    #expect(NetworkChanges.take(from: pair.near) == .change)
    #expect(NetworkChanges.take(from: pair.near) == .nothing)
    #expect(NetworkChanges.take(from: -1) == .broken)
  }

  @Test func childrenDoNotInheritTheKernelsSocket() {
    _ = NetworkChanges.shared.count
    let own = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    for name in own {
      guard let descriptor = Int32(name) else { continue }
      var domain: Int32 = 0
      var size = socklen_t(MemoryLayout<Int32>.size)
      guard getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0, domain == AF_NETLINK else { continue }
      #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
    }
  }
}
