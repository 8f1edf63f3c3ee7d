import Glibc
internal import URLLoadingBase
internal import URLLoadingCSSH2

/// Waits for descriptors and times.
extension ConnectionDriver {
  func checkTimes() {
    let now = MonotonicInstant.now
    if deadline.isPast(now) {
      apply(machine.deadlinePassed(server: options.server))
      return
    }
    guard let session, machine.phase == .open else { return }
    switch keepAlive?.check(now, lastReceived: session.socket.lastReceived, isReading: user.wantsToReceive) {
    case .ask:
      session.keepAlive()
      sendQueued()
    case .giveUp:
      fail(SSHFailure(.connectionLost, "\(options.server) does not answer any more"))
    case .nothing, nil: break
    }
  }

  func wait() {
    var descriptors = [pollfd(fd: wakeDescriptor, events: Int16(POLLIN), revents: 0)]
    descriptors.append(pollfd(fd: machine.phase == .reaching ? -1 : socket, events: socketEvents, revents: 0))
    let own = machine.phase == .open ? user.descriptorToPoll : nil
    descriptors.append(own ?? pollfd(fd: -1, events: 0, revents: 0))
    for descriptor in dialer?.descriptors ?? [] {
      descriptors.append(pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0))
    }
    // A broken socket that is not read would end each poll at once.
    if isReadingPaused, descriptors[1].events == 0 { descriptors[1].fd = -1 }
    if machine.phase != .open { session?.socket.acknowledgeAtOnce() }
    let timeout = timeout
    ExitGate.shared.outside { _ = poll(&descriptors, nfds_t(descriptors.count), timeout) }
    if descriptors[2].revents != 0, !user.descriptorIsReady() { close(nil) }
    let isWaitingForAnswer =
      machine.phase == .judgingHostKey || (machine.phase == .loggingIn && login?.isWaiting == true)
    if isWaitingForAnswer, Int32(descriptors[1].revents) & (cssh2_poll_peer_closed | POLLHUP | POLLERR) != 0 {
      fail(SSHFailure(.connectionLost, "\(options.server) closed the connection while \(machine.phase.name)"))
    }
  }

  private var isReadingPaused: Bool { machine.phase == .open && !user.wantsToReceive }

  private var socketEvents: Int16 {
    var events: Int32 = 0
    if let session, !session.socket.outgoing.isEmpty { events |= POLLOUT }
    switch machine.phase {
    case .idle, .reaching, .closed: break
    // Not read, but watched for its end.
    case .judgingHostKey: events |= cssh2_poll_peer_closed
    case .loggingIn: events |= login?.isWaiting == true ? cssh2_poll_peer_closed : POLLIN
    case .exchangingKeys, .openingChannel: events |= POLLIN
    case .open: if user.wantsToReceive { events |= POLLIN }
    }
    return Int16(truncatingIfNeeded: events)
  }

  /// Milliseconds until the next deadline, rounded up; -1 without one.
  private var timeout: Int32 {
    if session?.socket.hasMore == true, !isReadingPaused { return 0 }
    // Else `poll` reports when the socket takes more.
    if fillsQueue, session?.socket.outgoing.isEmpty == true { return 0 }
    let now = MonotonicInstant.now
    var times: [MonotonicInstant] = []
    if let time = deadline.time { times.append(time) }
    if let time = dialer?.nextTime { times.append(time) }
    if machine.phase == .open, let time = keepAlive?.nextTime { times.append(time) }
    guard let first = times.min() else { return -1 }
    let nanoseconds = now.duration(to: first).wholeNanoseconds
    return nanoseconds <= 0 ? 0 : Int32(clamping: nanoseconds / 1_000_000 + 1)
  }
}
