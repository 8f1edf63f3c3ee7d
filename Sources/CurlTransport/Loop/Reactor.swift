import Glibc
internal import URLLoadingBase
internal import URLLoadingCCurl
internal import URLLoadingCLinux

/// Sockets and deadlines that the loop waits for.
///
/// Changes of interest are recorded and given to the kernel once a turn, where the outcome differs from
/// what it knows: libcurl takes a socket off and puts it back for every request.
// Loop thread only, except `openDescriptors()`, which runs before there is that thread, and `wake()`, which writes to a descriptor that
// stays.
final class Reactor {
  /// What is known about one file descriptor; the index in the table is the descriptor.
  private struct Socket {
    var owner: Unmanaged<MultiHandle>?
    var wanted: UInt8 = 0
    var registered: UInt8 = 0
    var isDirty = false
    var stage = SocketStage.unannounced
    /// The file that was opened under the number; nil for one of libcurl's own.
    var file: ino_t?
    /// A control connection of FTP, whose graceful close would block.
    var isFTP = false
    /// Whether somebody was told of its connection, see `observed`.
    var isObserved = false
    /// Tells events of an earlier socket with the same number apart.
    var generation: UInt32 = 0

    /// Whether it is one, and the number does not belong to something else by now.
    func isControlConnection(of multi: UnsafeMutableRawPointer, under descriptor: Int) -> Bool {
      isFTP && stage == .connected && owner?.toOpaque() == multi && isOpen(under: Int32(descriptor))
    }

    /// Whether the descriptor is still the file that was opened under it: libcurl 7.88 closes a socket that did not
    /// connect without calling its socket callback, and any thread may get the number next.
    func isOpen(under descriptor: Int32) -> Bool {
      file != nil && file == Self.file(of: descriptor)
    }

    /// What no other open file has.
    static func file(of descriptor: Int32) -> ino_t? {
      var status = stat()
      return fstat(descriptor, &status) == 0 ? status.st_ino : nil
    }
  }

  /// A socket that is not libcurl's.
  private struct Watch {
    let interest: SocketInterest
    let handler: (SocketInterest) -> Void
  }

  /// Names and TLS sessions, cached for all engines of the loop. Without locks: it is used on the loop's thread alone.
  private(set) var share: UnsafeMutableRawPointer?
  private var sessions = SessionShares()

  /// The number of times that the loop has waited: between two of them every ready socket was served.
  private(set) var turn: UInt64 = 1

  private static let wakeToken = UInt64.max
  /// The bit of an epoll token that marks a socket that is not libcurl's.
  private static let watchBit: UInt64 = 1 << 31
  private static let readable: UInt8 = 1
  private static let writable: UInt8 = 2

  /// Events that were not handed on yet.
  private var eventCount = 0
  private var epoll: Int32 = -1
  private var wakeDescriptor: Int32 = -1
  private let events: UnsafeMutablePointer<epoll_event>
  private let eventCapacity = 512
  // A load has 25 accesses to these four, and a check of one costs it 70 instructions. Debug builds, and so the tests, check that no two
  // overlap.
  #if !DEBUG
  @exclusivity(unchecked)
  #endif
  private var sockets: [Socket] = []
  #if !DEBUG
  @exclusivity(unchecked)
  #endif
  private var dirty: [Int32] = []
  #if !DEBUG
  @exclusivity(unchecked)
  #endif
  private var armed: [MultiHandle] = []
  #if !DEBUG
  @exclusivity(unchecked)
  #endif
  private var touched: [MultiHandle] = []
  /// Sockets that are not libcurl's.
  private var watches: [Int32: Watch] = [:]
  /// The connections whose ends are to be told, by their sockets.
  private var observed: [Int32: (connection: ObservedConnection, observer: ConnectionObserver)] = [:]

  init() {
    events = .allocate(capacity: eventCapacity)
  }

  /// Opens what the loop waits with, before anything else is called. What is open already stays: a call after a failure tries again.
  /// - Returns: 0, or the number of the system's error.
  func openDescriptors() -> Int32 {
    if epoll < 0 { epoll = epoll_create1(Int32(EPOLL_CLOEXEC)) }
    guard epoll >= 0 else { return errno }
    guard wakeDescriptor < 0 else { return 0 }
    let descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    guard descriptor >= 0 else { return errno }
    // Edge-triggered: every write is an event, so the counter need not be read.
    var event = epoll_event()
    event.events = EPOLLIN.rawValue | EPOLLET.rawValue
    event.data.u64 = Self.wakeToken
    guard epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) == 0 else {
      let error = errno
      close(descriptor)
      return error
    }
    wakeDescriptor = descriptor
    return 0
  }

  /// Makes what is shared by all engines of the loop.
  func open() {
    share = SessionShares.make()
  }

  /// Names and TLS sessions for transfers over TLS from a host.
  func share(for key: ConnectionKey) -> UnsafeMutableRawPointer? {
    guard CurlLibrary.shared.forgetsNewestSessions else { return share }
    return sessions.share(for: key.name) ?? share
  }

  deinit {
    curl_share_cleanup(share)
    sessions.close()
    if epoll >= 0 { close(epoll) }
    if wakeDescriptor >= 0 { close(wakeDescriptor) }
    events.deallocate()
  }

  /// Ends the current or the next `wait`. Callable from any thread.
  func wake() {
    eventfd_write(wakeDescriptor, 1)
  }

  // MARK: Waiting

  /// Waits for sockets, the earliest deadline or a wake-up.
  /// - Returns: whether there is anything for `dispatch()`.
  @discardableResult
  func wait(canSleep: Bool) -> Bool {
    turn &+= 1
    var timeout: Int32 = canSleep ? -1 : 0
    let deadline = canSleep ? earliestDeadline : .distantFuture
    if deadline != .distantFuture {
      let nanoseconds = max(0, deadline.nanoseconds - MonotonicInstant.now.nanoseconds)
      // Rounded up, or the loop would spin through the last millisecond.
      timeout = Int32(clamping: (nanoseconds + 999_999) / 1_000_000)
    }
    eventCount = Int(max(0, epoll_wait(epoll, events, Int32(eventCapacity), timeout)))
    return eventCount > 0
  }

  /// Hands the sockets for which there were events to their owners.
  func dispatch() {
    for index in 0..<eventCount { dispatch(events[index]) }
    eventCount = 0
  }

  private func dispatch(_ event: epoll_event) {
    let token = event.data.u64
    guard token != Self.wakeToken else { return }
    let descriptor = Int32(truncatingIfNeeded: token & 0x7fff_ffff)
    if token & Self.watchBit != 0 { return watchedSocketIsReady(descriptor, event.events) }
    let socket = sockets[Int(descriptor)]
    guard socket.generation == UInt32(truncatingIfNeeded: token >> 32) else { return }
    guard let owner = socket.owner, socket.wanted != 0 else {
      // An idle connection that its server closed, most likely. libcurl finds out when it wants to use it.
      if socket.registered != 0 { register(descriptor, 0) }
      return
    }
    if event.events == EPOLLIN.rawValue, owner._withUnsafeGuaranteedRef({ $0.receiveDirectly(from: descriptor) }) {
      return
    }
    var ready: Int32 = 0
    if event.events & (EPOLLIN.rawValue | EPOLLHUP.rawValue) != 0 { ready |= 1 }
    if event.events & EPOLLOUT.rawValue != 0 { ready |= 2 }
    if event.events & EPOLLERR.rawValue != 0 { ready |= 4 }
    owner._withUnsafeGuaranteedRef { $0.socketIsReady(descriptor, ready) }
  }

  private func watchedSocketIsReady(_ descriptor: Int32, _ events: UInt32) {
    // It may have gone in the same turn.
    guard let watch = watches[descriptor] else { return }
    var ready: SocketInterest = []
    let ended = EPOLLHUP.rawValue | EPOLLERR.rawValue
    if events & (EPOLLIN.rawValue | ended) != 0 { ready.insert(.readable) }
    if events & (EPOLLOUT.rawValue | ended) != 0 { ready.insert(.writable) }
    watch.handler(ready.intersection(watch.interest))
  }

  /// Hands finished transfers to their handlers, for every multi handle that did something since the last time.
  func reap() {
    while let multi = touched.popLast() {
      multi.isTouched = false
      multi.reap()
    }
  }

  /// Records that `multi` may have finished transfers.
  func touch(_ multi: MultiHandle) {
    guard !multi.isTouched else { return }
    multi.isTouched = true
    touched.append(multi)
  }

  // MARK: Deadlines

  /// Adds `multi` to the handles whose deadlines are checked.
  func arm(_ multi: MultiHandle) {
    guard !multi.isArmed else { return }
    multi.isArmed = true
    armed.append(multi)
  }

  private var earliestDeadline: MonotonicInstant {
    var earliest = MonotonicInstant.distantFuture
    for index in armed.indices { earliest = min(earliest, armed[index].deadline) }
    return earliest
  }

  /// Whether there is a handle whose deadline is reached, or that has none any more.
  private func hasArmed(until now: MonotonicInstant) -> Bool {
    for index in armed.indices {
      let deadline = armed[index].deadline
      if deadline <= now || deadline == .distantFuture { return true }
    }
    return false
  }

  func fireDeadlines() {
    guard !armed.isEmpty else { return }
    let now = MonotonicInstant.now
    guard hasArmed(until: now) else { return }
    var index = armed.count - 1
    while index >= 0 {
      let multi = armed[index]
      if multi.deadline <= now { multi.deadlineIsReached(now) }
      if multi.deadline == .distantFuture {
        multi.isArmed = false
        armed.swapAt(index, armed.count - 1)
        armed.removeLast()
      }
      index -= 1
    }
  }

  // MARK: Interest

  /// Starts or ends watching a socket that is not libcurl's.
  func watch(_ descriptor: Int32, for interest: SocketInterest, _ handler: @escaping (SocketInterest) -> Void) {
    var event = epoll_event()
    event.data.u64 = Self.watchBit | UInt64(UInt32(bitPattern: descriptor))
    if interest.contains(.readable) { event.events |= EPOLLIN.rawValue }
    if interest.contains(.writable) { event.events |= EPOLLOUT.rawValue }
    let old = watches[descriptor]
    if interest.isEmpty {
      guard watches.removeValue(forKey: descriptor) != nil else { return }
      epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, &event)
    } else {
      watches[descriptor] = Watch(interest: interest, handler: handler)
      if old?.interest != interest {
        epoll_ctl(epoll, old == nil ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, descriptor, &event)
      }
    }
  }

  /// Opens a socket that belongs to `owner`.
  func openSocket(domain: Int32, type: Int32, protocol number: Int32, owner: MultiHandle, isFTP: Bool) -> Int32 {
    let descriptor = socket(domain, type | Int32(SOCK_CLOEXEC.rawValue), number)
    guard descriptor >= 0 else { return descriptor }
    grow(to: descriptor)
    let index = Int(descriptor)
    let earlier = sockets[index]
    // Nothing that was said of an earlier descriptor with this number holds.
    forget(index)
    sockets[index].owner = Unmanaged.passUnretained(owner)
    sockets[index].stage = .opened
    sockets[index].file = Socket.file(of: descriptor)
    sockets[index].isFTP = isFTP
    // If one connection attempt follows another at once, libcurl reports no change: it has the same interest in the
    // same number.
    if earlier.stage == .connecting, earlier.owner?.toOpaque() == Unmanaged.passUnretained(owner).toOpaque() {
      setInterest(Int32(earlier.wanted), in: descriptor, owner: owner)
    }
    return descriptor
  }

  /// Adopts a connected socket for `owner`.
  func adoptSocket(_ descriptor: Int32, owner: MultiHandle) {
    grow(to: descriptor)
    let index = Int(descriptor)
    forget(index)
    sockets[index].owner = Unmanaged.passUnretained(owner)
    sockets[index].stage = .connected
    sockets[index].file = Socket.file(of: descriptor)
    observe(descriptor, of: owner)
  }

  /// Removes a socket of libcurl's, which is handed over to another owner.
  func handOverSocket(_ descriptor: Int32) {
    guard descriptor >= 0, Int(descriptor) < sockets.count else { return }
    sockets[Int(descriptor)].wanted = 0
    if sockets[Int(descriptor)].registered != 0 { register(descriptor, 0) }
  }

  /// The open socket of `owner` of which this is true.
  func openSocket(of owner: MultiHandle, where isWanted: (Int32) -> Bool) -> Int32? {
    let owner = Unmanaged.passUnretained(owner).toOpaque()
    for index in sockets.indices where sockets[index].owner?.toOpaque() == owner {
      let descriptor = Int32(index)
      if sockets[index].isOpen(under: descriptor), isWanted(descriptor) { return descriptor }
    }
    return nil
  }

  /// Closes a socket that `openSocket` opened.
  func closeSocket(_ descriptor: Int32) -> Int32 {
    if Int(descriptor) < sockets.count {
      sockets[Int(descriptor)].owner?._withUnsafeGuaranteedRef { $0.socketCloses(descriptor) }
      forget(Int(descriptor))
    }
    return close(descriptor)
  }

  /// Sets TCP_CORK (tcp(7)), which makes the kernel buffer writes to a connection, or clears it, which flushes them.
  func cork(_ isCorked: Bool, _ descriptor: Int32) {
    var value: Int32 = isCorked ? 1 : 0
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_CORK, &value, socklen_t(MemoryLayout<Int32>.size))
  }

  /// Sends what TCP_CORK buffers.
  func flushWrites(of descriptor: Int32) {
    var value: Int32 = 1
    // libcurl has set it; setting it again flushes (tcp(7)).
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &value, socklen_t(MemoryLayout<Int32>.size))
  }

  /// Records that `owner` waits for `descriptor`; `interest` is a set of readable (1) and writable (2).
  func setInterest(_ interest: Int32, in descriptor: Int32, owner: MultiHandle) {
    guard descriptor >= 0 else { return }
    grow(to: descriptor)
    let index = Int(descriptor)
    // One end of the pair that a name's look-up is waited for with. Of the other libcurl does not tell.
    if interest != 0, sockets[index].file == nil { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    sockets[index].wanted = UInt8(truncatingIfNeeded: interest & 3)
    let socket = sockets[index]
    let registration = sockets[index].stage.wants(
      isReadable: interest & 1 != 0, isWritable: interest & 2 != 0,
      isConnected: socket.isOpen(under: descriptor) && PortPair.hasPeer(descriptor))
    if socket.stage != .connected, sockets[index].stage == .connected { observe(descriptor, of: owner) }
    switch registration {
    case .later:
      guard !sockets[index].isDirty else { return }
      sockets[index].isDirty = true
      dirty.append(descriptor)
    case .atOnce:
      sockets[index].owner = Unmanaged.passUnretained(owner)
      if sockets[index].wanted != 0 { sockets[index].registered = 0 }
      register(descriptor, sockets[index].wanted)
    }
  }

  /// Gives the recorded changes to the kernel.
  func applyInterest() {
    guard !dirty.isEmpty else { return }
    while let descriptor = dirty.popLast() {
      let index = Int(descriptor)
      sockets[index].isDirty = false
      let wanted = sockets[index].wanted
      // A socket without interest stays registered: the next request on the connection will want it again.
      if wanted != 0, wanted != sockets[index].registered { register(descriptor, wanted) }
    }
  }

  /// Ends both directions of `owner`'s FTP control connections, or of the one between some ports, so that libcurl's QUIT cannot wait for
  /// an answer.
  func shutDownControlConnections(of owner: MultiHandle, between ports: PortPair? = nil) {
    let owner = Unmanaged.passUnretained(owner).toOpaque()
    for index in sockets.indices where sockets[index].isControlConnection(of: owner, under: index) {
      if ports == nil || PortPair(of: Int32(index)) == ports { shutdown(Int32(index), Int32(SHUT_RDWR)) }
    }
  }

  /// Drops all state of `owner`, which is about to be freed.
  func remove(_ owner: MultiHandle) {
    // `armed` and `touched` lose it in their next round: this one may come from the middle of it.
    let owner = Unmanaged.passUnretained(owner).toOpaque()
    for index in sockets.indices where sockets[index].owner?.toOpaque() == owner {
      if sockets[index].registered != 0 { register(Int32(index), 0) }
      forget(index)
    }
  }

  private func forget(_ index: Int) {
    let known = sockets[index]
    // The kernel drops a closed descriptor from the set by itself.
    sockets[index] = Socket(isDirty: known.isDirty, generation: known.generation &+ 1)
    if known.isObserved, let known = observed.removeValue(forKey: Int32(index)) {
      known.observer.closed(known.connection)
    }
  }

  /// A socket of libcurl's has its connection.
  private func observe(_ descriptor: Int32, of owner: MultiHandle) {
    guard let observer = owner.configuration.connectionObserver else { return }
    let connection = ObservedConnection(number: ConnectionObserver.nextNumber(), socket: descriptor)
    sockets[Int(descriptor)].isObserved = true
    observed[descriptor] = (connection, observer)
    observer.opened(connection)
  }

  private func grow(to descriptor: Int32) {
    let count = Int(descriptor) + 1
    guard count > sockets.count else { return }
    sockets.append(contentsOf: repeatElement(Socket(), count: max(count, sockets.count * 2, 64) - sockets.count))
  }

  private func register(_ descriptor: Int32, _ interest: UInt8) {
    let index = Int(descriptor)
    let registered = sockets[index].registered
    guard registered != interest else { return }
    var event = epoll_event()
    if interest & Self.readable != 0 { event.events |= EPOLLIN.rawValue }
    if interest & Self.writable != 0 { event.events |= EPOLLOUT.rawValue }
    event.data.u64 = UInt64(sockets[index].generation) << 32 | UInt64(UInt32(bitPattern: descriptor))
    if interest == 0 {
      epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, &event)
    } else if epoll_ctl(epoll, registered == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, descriptor, &event) != 0 {
      // libcurl may have closed a descriptor of its own, and its number may be in use again, without a callback.
      if errno == ENOENT { epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) }
      if errno == EEXIST { epoll_ctl(epoll, EPOLL_CTL_MOD, descriptor, &event) }
    }
    sockets[index].registered = interest
  }
}
