import CSSH2
import CurlTransport
import Foundation
import Glibc

/// Carries out what ``ConnectionMachine`` decides, on the connection's thread, until the end.
///
/// Mutable state: all of it, confined to the thread that calls `run`. Tasks and helper threads reach it by posting work to the
/// connection.
final class ConnectionDriver {
  let connection: SSHConnection
  let options: SSHConnectionOptions
  private(set) var machine: ConnectionMachine
  var session: SSHSession?
  private let user: any SSHChannelUser
  private let wakeDescriptor: Int32
  /// The socket to the server, or our end of the tunnel to it.
  private var socket: Int32 = -1
  private var dialer: Dialer?
  private var jump: SSHConnection?
  private var login: LoginDriver?
  private var isServiceRequested = false
  private var preferences = AlgorithmPreferences()
  private var deadline: Deadline
  private var keepAlive: KeepAlive?
  private var questions: [Int: Task<Void, Never>] = [:]
  private var lastQuestion = 0
  private var endReason: SSHFailure?
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)

  init(connection: SSHConnection, user: any SSHChannelUser, wakeDescriptor: Int32) {
    self.connection = connection
    self.user = user
    self.wakeDescriptor = wakeDescriptor
    options = connection.options
    machine = ConnectionMachine(goesThroughJump: !connection.options.jumps.isEmpty)
    deadline = Deadline(MonotonicClock.nanoseconds(connection.options.timeout))
  }

  deinit {
    buffer.deallocate()
  }

  // MARK: The thread

  func run() {
    // Signals are the application's: none is handled here.
    var signals = sigset_t()
    sigfillset(&signals)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    ExitGate.shared.enter()
    defer { ExitGate.shared.leave() }
    apply(wakeDescriptor >= 0 ? machine.start() : machine.fail(outOfResources()))
    while machine.phase != .closed {
      for work in connection.takeWork() { work(self) }
      guard machine.phase != .closed else { break }
      session?.beginTurn()
      step()
      sendQueued()
      guard machine.phase != .closed else { break }
      checkTimes()
      guard machine.phase != .closed else { break }
      wait()
    }
    tearDown()
  }

  private func tearDown() {
    for task in questions.values { task.cancel() }
    login?.cancel()
    session?.end()
    connection.measure { metrics in
      metrics.end = Date()
      metrics.bytesSent = session?.bytesSent ?? 0
      metrics.bytesReceived = session?.bytesReceived ?? 0
    }
    login = nil
    session = nil
    dialer = nil
    if socket >= 0 { Glibc.close(socket) }
    jump?.close()
    user.channelDidClose(endReason)
    for work in connection.takeLastWork() { work(self) }
  }

  func apply(_ action: ConnectionMachine.Action) {
    deadline.runs(machine.deadlineRuns)
    switch action {
    case .nothing: break
    case .reach: reach()
    case .exchangeKeys: beginSession()
    case .judgeHostKey: judgeHostKey()
    case .logIn:
      connection.measure { $0.hostKeyAccepted = Date() }
      login = LoginDriver(driver: self, isOpenSSH: offer.isOpenSSH)
    case .openChannel:
      connection.measure { metrics in
        metrics.loggedIn = Date()
        metrics.loginMethod = login?.acceptedMethod
      }
      login = nil
    case .announceOpen:
      connection.measure { $0.opened = Date() }
      keepAlive = options.keepAliveInterval.map { interval in
        KeepAlive(interval: max(interval, SSHSession.shortestKeepAlive), limit: options.keepAliveLimit)
      }
      user.channelDidOpen()
    case .close(let reason): endReason = reason
    }
    deadline.runs(machine.deadlineRuns)
  }

  func close(_ reason: SSHFailure?) { apply(machine.close(reason)) }

  func fail(_ failure: SSHFailure) { apply(machine.fail(failure)) }

  // MARK: Steps

  private func step() {
    switch machine.phase {
    case .idle, .judgingHostKey, .closed: break
    case .reaching: dial()
    case .exchangingKeys: exchangeKeys()
    case .loggingIn: logIn()
    case .openingChannel: openChannel()
    case .open: pump()
    }
  }

  private func reach() {
    connection.measure { $0.start = Date() }
    if let last = options.jumps.last { return reach(through: last) }
    let (host, port, connection) = (options.host, options.port, connection)
    // An address needs nobody to ask.
    if case .success(let addresses) = SocketAddress.lookUp(host, port: port, numericOnly: true) {
      dialer = Dialer(addresses)
      return
    }
    // Nothing ends a lookup: when the connection is closed, its thread goes on by itself and finds nobody.
    Thread.detachNewThread {
      let result = SocketAddress.lookUp(host, port: port, numericOnly: false)
      connection.post { $0.lookedUp(result) }
    }
  }

  private func lookedUp(_ result: Result<[SocketAddress], SocketAddress.LookupError>) {
    guard machine.phase == .reaching else { return }
    switch result {
    case .success(let addresses): dialer = Dialer(addresses)
    case .failure(let problem):
      fail(SSHFailure(.hostNotFound, "the name \(options.host) was not found: \(problem.text)"))
    }
  }

  private func reach(through last: SSHConnectionOptions) {
    guard let pair = TunnelEnd.makePair() else { return fail(outOfResources()) }
    var through = last
    through.jumps = Array(options.jumps.dropLast())
    through.channel = .tunnel(host: options.host, port: options.port)
    socket = pair.near
    let (connection, name) = (connection, through.server)
    let tunnel = TunnelEnd(
      descriptor: pair.far,
      onOpen: { connection.post { $0.reached() } },
      onClose: { error in connection.post { $0.lostJump(name, error) } })
    let jump = SSHConnection(through, user: tunnel)
    self.jump = jump
    jump.start()
  }

  private func lostJump(_ name: String, _ error: (any Error)?) {
    // Without an error it was the server behind it that went away, which shows in what the tunnel brought.
    guard let error, machine.phase != .closed else { return }
    let kind = (error as? SSHFailure)?.kind ?? .connectionLost
    fail(SSHFailure(kind, "through \(name): \(error.localizedDescription)", underlying: error))
  }

  private func dial() {
    guard let dialer else { return }
    switch dialer.advance(MonotonicClock.now()) {
    case .waiting: break
    case .connected(let descriptor, let address):
      socket = descriptor
      self.dialer = nil
      connection.measure { $0.address = address.text }
      reached()
    case .failed(let problem):
      fail(SSHFailure(.cannotConnect, "\(options.server) cannot be connected to: \(problem)"))
    }
  }

  private func reached() {
    connection.measure { $0.connected = Date() }
    apply(machine.reached())
    if machine.phase == .exchangingKeys {
      session?.beginTurn()
      exchangeKeys()
    }
  }

  private func beginSession() {
    guard let session = SSHSession(descriptor: socket) else { return fail(outOfResources()) }
    self.session = session
    preferences = AlgorithmPreferences(
      supported: session.supportedAlgorithms(),
      knownKeyTypes: options.hostKeyPolicy.knownKeyTypes(host: options.host, port: options.port))
    session.prefer(preferences)
  }

  private func exchangeKeys() {
    guard let session else { return }
    switch session.exchangeKeys() {
    case .wait: break
    case .failed(let code): fail(failure(code))
    case .done:
      connection.measure { metrics in
        metrics.keysExchanged = Date()
        metrics.serverVersion = offer.version
        metrics.keyExchange = session.method(LIBSSH2_METHOD_KEX)
        metrics.hostKey = session.method(LIBSSH2_METHOD_HOSTKEY)
        metrics.cipherOut = session.method(LIBSSH2_METHOD_CRYPT_CS)
        metrics.cipherIn = session.method(LIBSSH2_METHOD_CRYPT_SC)
        metrics.macOut = session.method(LIBSSH2_METHOD_MAC_CS)
        metrics.macIn = session.method(LIBSSH2_METHOD_MAC_SC)
      }
      apply(machine.exchangedKeys())
    }
  }

  private func judgeHostKey() {
    guard let key = session?.hostKey() else {
      return fail(SSHFailure(.protocolViolation, "\(options.server) has shown no host key that can be read"))
    }
    let offered = HostKeyOffer(host: options.host, port: options.port, key: key, serverAlgorithms: offer.hostKey)
    let policy = options.hostKeyPolicy
    ask({ await policy.judge(offered) }) { driver, decision in
      if case .success(let decision) = decision { driver.apply(driver.machine.judgedHostKey(decision)) }
    }
  }

  private func logIn() {
    guard let login else { return }
    switch login.advance() {
    case .wait: break
    case .done: apply(machine.loggedIn())
    case .failed(let failure): fail(failure)
    }
    if machine.phase == .openingChannel { openChannel() }
  }

  private func openChannel() {
    guard let session else { return }
    if !isServiceRequested {
      switch session.openChannel(options.channel) {
      case .wait: return
      case .failed(let code): return fail(failure(code))
      case .done: isServiceRequested = true
      }
    }
    switch session.startService(options.channel) {
    case .wait: return
    case .failed(let code): return fail(failure(code))
    case .done: apply(machine.openedChannel())
    }
    if machine.phase == .open { pump() }
  }

  // MARK: The open channel

  /// Bytes that may wait for the socket; more comes from the user when these are gone.
  private static let largestQueue = 1 << 18

  private func pump() {
    guard let session else { return }
    // Writing takes in what the server has sent, too: what is in libssh2 by then no socket tells of.
    repeat {
      guard write(session) else { return }
      guard let count = read(session) else { return }
      if count == 0 { break }
    } while !session.hasMore && machine.phase == .open
    connection.measure { metrics in
      metrics.bytesSent = session.bytesSent
      metrics.bytesReceived = session.bytesReceived
    }
  }

  private func write(_ session: SSHSession) -> Bool {
    while machine.phase == .open, session.outgoing.count < Self.largestQueue {
      let bytes = user.bytesToSend
      if bytes.isEmpty { break }
      switch session.write(bytes) {
      case .success(0): return true
      case .success(let count): user.channelDidSend(count)
      case .failure(let code):
        fail(failure(code))
        return false
      }
    }
    return machine.phase == .open
  }

  /// How many bytes came; nil when the channel is at its end.
  private func read(_ session: SSHSession) -> Int? {
    var received = 0
    while machine.phase == .open, user.wantsToReceive {
      switch session.read(into: buffer) {
      case .success(0):
        guard session.isAtEnd else { return received }
        close(
          options.channel.endsByItself
            ? nil : SSHFailure(.connectionLost, "\(options.server) ended the channel"))
        return nil
      case .success(let count):
        received += count
        user.channelDidReceive(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      case .failure(let code):
        fail(failure(code))
        return nil
      }
    }
    return machine.phase == .open ? received : nil
  }

  private func sendQueued() {
    guard let session, machine.phase != .closed, !session.flush() else { return }
    // The server may have said why it goes, and that is worth more than that it has gone.
    session.beginTurn()
    step()
    if machine.phase != .closed { fail(failure(SSHSession.Code(number: LIBSSH2_ERROR_SOCKET_SEND, text: ""))) }
  }

  // MARK: Time

  private func checkTimes() {
    let now = MonotonicClock.now()
    if deadline.isPast(now) {
      apply(machine.deadlinePassed(server: options.server))
      return
    }
    guard let session, machine.phase == .open else { return }
    switch keepAlive?.check(now, lastReceived: session.lastReceived, isReading: user.wantsToReceive) {
    case .ask:
      session.keepAlive()
      sendQueued()
    case .giveUp:
      fail(SSHFailure(.connectionLost, "\(options.server) does not answer any more"))
    case .nothing, nil: break
    }
  }

  private func wait() {
    var descriptors = [pollfd(fd: wakeDescriptor, events: Int16(POLLIN), revents: 0)]
    descriptors.append(pollfd(fd: machine.phase == .reaching ? -1 : socket, events: socketEvents, revents: 0))
    let descriptorUser = machine.phase == .open ? user as? any SSHDescriptorUser : nil
    if let descriptorUser {
      let events = descriptorUser.descriptorEvents
      descriptors.append(pollfd(fd: events == 0 ? -1 : descriptorUser.descriptor, events: events, revents: 0))
    }
    for descriptor in dialer?.descriptors ?? [] {
      descriptors.append(pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0))
    }
    // A socket that is broken while nobody wants its bytes would wake us for ever.
    if isHeldBack, descriptors[1].events == 0 { descriptors[1].fd = -1 }
    let timeout = timeout
    ExitGate.shared.outside { _ = poll(&descriptors, nfds_t(descriptors.count), timeout) }
    if let descriptorUser, descriptors[2].revents != 0, !descriptorUser.descriptorIsReady() { close(nil) }
    let isWaitingForAnswer =
      machine.phase == .judgingHostKey || (machine.phase == .loggingIn && login?.isWaiting == true)
    if isWaitingForAnswer, Int32(descriptors[1].revents) & (cssh2_poll_peer_closed | POLLHUP | POLLERR) != 0 {
      fail(SSHFailure(.connectionLost, "\(options.server) closed the connection while \(machine.phase.name)"))
    }
  }

  private var isHeldBack: Bool { machine.phase == .open && !user.wantsToReceive }

  private var socketEvents: Int16 {
    var events: Int32 = 0
    if let session, !session.outgoing.isEmpty { events |= POLLOUT }
    switch machine.phase {
    case .idle, .reaching, .closed: break
    // Nothing is read meanwhile, but that the server goes is seen.
    case .judgingHostKey: events |= cssh2_poll_peer_closed
    case .loggingIn: events |= login?.isWaiting == true ? cssh2_poll_peer_closed : POLLIN
    case .exchangingKeys, .openingChannel: events |= POLLIN
    case .open: if user.wantsToReceive { events |= POLLIN }
    }
    return Int16(truncatingIfNeeded: events)
  }

  /// Milliseconds until something is due, rounded up; -1 if nothing is.
  private var timeout: Int32 {
    if session?.hasMore == true, !isHeldBack { return 0 }
    let now = MonotonicClock.now()
    var times: [UInt64] = []
    if let time = deadline.time { times.append(time) }
    if let time = dialer?.nextTime { times.append(time) }
    if machine.phase == .open, let time = keepAlive?.nextTime { times.append(time) }
    guard let first = times.min() else { return -1 }
    return first <= now ? 0 : Int32(clamping: (first - now + 999_999) / 1_000_000)
  }

  // MARK: Others who answer

  /// Asks somebody who may take time, in which the deadline stands still.
  func ask<Answer: Sendable>(
    _ question: @escaping @Sendable () async throws -> Answer,
    _ then: @escaping @Sendable (ConnectionDriver, Result<Answer, any Error>) -> Void
  ) {
    lastQuestion += 1
    let (number, connection) = (lastQuestion, connection)
    machine.askedQuestion()
    deadline.runs(machine.deadlineRuns)
    questions[number] = Task {
      let answer: Result<Answer, any Error>
      do { answer = .success(try await question()) } catch { answer = .failure(error) }
      connection.post { driver in
        driver.questions[number] = nil
        driver.machine.gotAnswer()
        driver.deadline.runs(driver.machine.deadlineRuns)
        if driver.machine.phase != .closed { then(driver, answer) }
      }
    }
  }

  /// Does something that may take time or wait on a thread of its own. The deadline goes on.
  func help<Result: Sendable>(
    _ work: @escaping @Sendable () -> Result, _ then: @escaping @Sendable (ConnectionDriver, Result) -> Void
  ) {
    let connection = connection
    Thread.detachNewThread {
      let result = work()
      connection.post { driver in
        if driver.machine.phase != .closed { then(driver, result) }
      }
    }
  }

  /// Asks and waits, because libssh2 wants the answer before it returns. Nil when the connection ends meanwhile.
  func waitForAnswer<Answer: Sendable>(_ question: @escaping @Sendable () async throws -> Answer) -> Result<
    Answer, any Error
  >? {
    let answer = Locked<Result<Answer, any Error>?>(nil)
    ask(question) { _, result in answer.withLock { $0 = result } }
    while machine.phase != .closed {
      for work in connection.takeWork() { work(self) }
      if let answer = answer.withLock({ $0 }) { return answer }
      var descriptors = [
        pollfd(fd: wakeDescriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: socket, events: Int16(cssh2_poll_peer_closed), revents: 0),
      ]
      guard machine.phase != .closed else { break }
      ExitGate.shared.outside { _ = poll(&descriptors, 2, -1) }
      if descriptors[1].revents != 0 {
        fail(SSHFailure(.connectionLost, "\(options.server) closed the connection while \(machine.phase.name)"))
      }
    }
    return nil
  }

  /// What became of what a helper or somebody else was asked for, while the login is still under way.
  func withLogin(_ body: (LoginDriver) -> Void) {
    if machine.phase == .loggingIn, let login { body(login) }
  }

  // MARK: Failures

  var offer: ServerOffer { ServerOffer(firstBytes: session?.firstBytes ?? []) }

  func failure(_ code: SSHSession.Code) -> SSHFailure {
    FailureExplanation(
      code: code, phase: machine.phase, options: options, preferences: preferences, offer: offer,
      farewell: session?.farewell, socketProblem: session?.socketProblem, hasEnded: session?.hasEnded ?? false
    ).failure
  }

  private func outOfResources() -> SSHFailure {
    SSHFailure(.cannotConnect, "\(options.server) cannot be connected to: there is no memory or no descriptor left")
  }
}
