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
    var isRunning = false
  }

  package static let shared = ReadinessMonitor()

  private let epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
  private let watches = Locked(Watches())

  /// Calls `action` once, on the monitor's thread, when reading from a descriptor would not wait; the end counts, too.
  /// - Parameter owner: what keeps the descriptor open.
  package func watch(_ descriptor: Int32, of owner: any Sendable, _ action: @escaping @Sendable () -> Void) -> Watch {
    let (watch, isWatched, startsThread) = watches.withLock { watches in
      watches.last += 1
      let number = watches.last
      var event = epoll_event()
      event.events = EPOLLIN.rawValue | EPOLLONESHOT.rawValue
      event.data.u64 = number
      let isWatched = epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) == 0
      if isWatched { watches.entries[number] = Entry(descriptor: descriptor, owner: owner, action: action) }
      let startsThread = isWatched && !watches.isRunning
      if startsThread { watches.isRunning = true }
      return (Watch(number: number), isWatched, startsThread)
    }
    if startsThread {
      let thread = Thread { self.run() }
      thread.name = "URLLoading pipes"
      thread.stackSize = 1 << 18
      thread.start()
    }
    // What epoll does not take always has an answer for a read.
    if !isWatched { action() }
    return watch
  }

  /// Ends a watch; its action is not called any more, unless it is just being called.
  package func cancel(_ watch: Watch) { _ = remove(watch.number) }

  private func remove(_ number: UInt64) -> Entry? {
    watches.withLock { watches -> Entry? in
      guard let entry = watches.entries.removeValue(forKey: number) else { return nil }
      epoll_ctl(epoll, EPOLL_CTL_DEL, entry.descriptor, nil)
      return entry
    }
  }

  private func run() {
    let capacity = 64
    var events = [epoll_event](repeating: epoll_event(), count: capacity)
    while true {
      let count = epoll_wait(epoll, &events, Int32(capacity), -1)
      for event in events.prefix(Int(max(0, count))) { remove(event.data.u64)?.action() }
    }
  }
}
