import Foundation
internal import URLLoadingCLinux

/// Tells when pipes, devices and sockets have something to read: one thread waits for all of them.
///
/// Dispatch's read sources are no replacement: made one after another for the same descriptor, some never fire.
///
/// Mutable state: `watches`, guarded by its lock. An event whose watch is gone by then is dropped.
package final class ReadinessMonitor: Sendable {
  /// Stands for one watch.
  package struct Watch: Hashable, Sendable {
    fileprivate let number: UInt64
  }

  private struct Entry: Sendable {
    let descriptor: Int32
    // Keeps the descriptor open while epoll knows it.
    let owner: any Sendable
    let action: @Sendable () -> Void
  }

  private struct Watches {
    var last: UInt64 = 0
    var entries: [UInt64: Entry] = [:]
    /// Opened with the first watch; negative where the system has no descriptor for it, until one does.
    var epoll: Int32 = -1
    var isRunning = false
  }

  private enum Outcome {
    case watched
    /// What epoll does not take always has an answer for a read.
    case alwaysReady
    /// The system lacks a descriptor or memory.
    case refused
  }

  package static let shared = ReadinessMonitor()

  private let watches = Locked(Watches())

  /// Calls `action` once, on the monitor's thread, when reading from a descriptor would not wait; the end counts, too.
  /// - Parameter owner: what keeps the descriptor open.
  package func watch(_ descriptor: Int32, of owner: any Sendable, _ action: @escaping @Sendable () -> Void) -> Watch {
    let (number, outcome, epoll, startsThread) = watches.withLock { watches in
      watches.last += 1
      if watches.epoll < 0 { watches.epoll = epoll_create1(Int32(EPOLL_CLOEXEC)) }
      let outcome = Self.add(descriptor, watches.last, to: watches.epoll)
      if outcome != .alwaysReady {
        watches.entries[watches.last] = Entry(descriptor: descriptor, owner: owner, action: action)
      }
      let startsThread = outcome == .watched && !watches.isRunning
      if startsThread { watches.isRunning = true }
      return (watches.last, outcome, watches.epoll, startsThread)
    }
    if startsThread { BlockingThread.run(name: "URLLoading pipes", stackSize: 1 << 18) { self.run(epoll) } }
    switch outcome {
    case .watched: break
    case .alwaysReady: action()
    case .refused: DispatchQueue.global().async { self.wait(for: number, descriptor) }
    }
    return Watch(number: number)
  }

  private static func add(_ descriptor: Int32, _ number: UInt64, to epoll: Int32) -> Outcome {
    guard epoll >= 0 else { return .refused }
    var event = epoll_event()
    event.events = EPOLLIN.rawValue | EPOLLONESHOT.rawValue
    event.data.u64 = number
    if epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) == 0 { return .watched }
    return errno == ENOMEM || errno == ENOSPC ? .refused : .alwaysReady
  }

  /// Waits without epoll, on a thread of Dispatch's, and looks once a second whether the watch was cancelled.
  private func wait(for number: UInt64, _ descriptor: Int32) {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while watches.withLock({ $0.entries[number] != nil }) {
      if poll(&entry, 1, 1000) > 0 {
        remove(number)?.action()
        return
      }
    }
  }

  /// Ends a watch; its action is not called any more, unless it is just being called.
  package func cancel(_ watch: Watch) { _ = remove(watch.number) }

  private func remove(_ number: UInt64) -> Entry? {
    watches.withLock { watches -> Entry? in
      guard let entry = watches.entries.removeValue(forKey: number) else { return nil }
      epoll_ctl(watches.epoll, EPOLL_CTL_DEL, entry.descriptor, nil)
      return entry
    }
  }

  private func run(_ epoll: Int32) {
    let capacity = 64
    var events = [epoll_event](repeating: epoll_event(), count: capacity)
    while true {
      let count = epoll_wait(epoll, &events, Int32(capacity), -1)
      for event in events.prefix(Int(max(0, count))) { remove(event.data.u64)?.action() }
    }
  }
}
