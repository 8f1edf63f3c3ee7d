import Foundation
import Glibc
import URLLoadingCSSH2

/// Carries out what ``ConnectionMachine`` decides, on the connection's thread.
///
/// Mutable state: all of it, confined to the thread that calls `run`. Tasks and other threads post work to the connection.
final class ConnectionDriver {
  let connection: SSHConnection
  let options: SSHConnectionOptions
  var machine: ConnectionMachine
  var session: SSHSession?
  let user: any SSHChannelUser
  let wakeDescriptor: Int32
  /// The socket to the server, or the near end of the tunnel to it.
  var socket: Int32 = -1
  var dialer: Dialer?
  private var jump: SSHConnection?
  var login: LoginDriver?
  private var isServiceRequested = false
  var preferences = AlgorithmPreferences()
  var deadline: Deadline
  var keepAlive: KeepAlive?
  /// The user has more to send than the queue takes.
  var fillsQueue = false
  var questions: [Int: Task<Void, Never>] = [:]
  var lastQuestion = 0
  private var endReason: SSHFailure?
  let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)

  init(connection: SSHConnection, user: any SSHChannelUser, wakeDescriptor: Int32) {
    self.connection = connection
    self.user = user
    self.wakeDescriptor = wakeDescriptor
    options = connection.options
    machine = ConnectionMachine(goesThroughJump: !connection.options.jumps.isEmpty)
    deadline = Deadline(connection.options.timeout)
  }

  deinit {
    buffer.deallocate()
  }

  // MARK: The thread

  func run() {
    // Signals are the application's.
    var signals = sigset_t()
    sigfillset(&signals)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    ExitGate.shared.enter()
    defer { ExitGate.shared.leave() }
    options.threadSetup?()
    apply(wakeDescriptor >= 0 ? machine.start() : machine.fail(outOfResources()))
    while machine.phase != .closed {
      for work in connection.takeWork() { work(self) }
      guard machine.phase != .closed else { break }
      session?.socket.beginTurn()
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
      metrics.bytesSent = session?.socket.bytesSent ?? 0
      metrics.bytesReceived = session?.socket.bytesReceived ?? 0
    }
    login = nil
    session = nil
    dialer = nil
    if socket >= 0 { Glibc.close(socket) }
    jump?.close()
    user.channelDidClose(endReason)
    for work in connection.takeLastWork() { work(self) }
    connection.didDoLastWork()
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

  func step() {
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
    // An address needs no lookup.
    if case .success(let addresses) = SocketAddress.lookUp(host, port: port, numericOnly: true) {
      dialer = Dialer(addresses)
      return
    }
    connection.measure { $0.lookupStart = Date() }
    // A lookup cannot be cancelled: when the connection is closed, its thread ends later, without effect.
    Thread.detachNewThread {
      let result = SocketAddress.lookUp(host, port: port, numericOnly: false)
      connection.post { $0.lookedUp(result) }
    }
  }

  private func lookedUp(_ result: Result<[SocketAddress], Problem>) {
    guard machine.phase == .reaching else { return }
    connection.measure { $0.lookupEnd = Date() }
    switch result {
    case .success(let addresses): dialer = Dialer(addresses)
    case .failure(let problem):
      fail(SSHFailure(.hostNotFound, "the name \(options.host) was not found: \(problem.reason)"))
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
    // Without an error it was the server behind it that closed, which the tunnel's socket shows.
    guard let error, machine.phase != .closed else { return }
    let kind = (error as? SSHFailure)?.kind ?? .connectionLost
    fail(SSHFailure(kind, "through \(name): \(error.localizedDescription)", underlying: error))
  }

  private func dial() {
    guard let dialer else { return }
    switch dialer.advance(.now) {
    case .waiting: break
    case .connected(let descriptor, let address):
      socket = descriptor
      self.dialer = nil
      let local = SocketAddress(localEndOf: descriptor)
      connection.measure { metrics in
        metrics.address = address.text
        metrics.localAddress = local?.text
        metrics.localPort = local?.port
      }
      reached()
    case .failed(let problem):
      fail(SSHFailure(.cannotConnect, "\(options.server) cannot be connected to: \(problem)"))
    }
  }

  private func reached() {
    connection.measure { $0.connected = Date() }
    apply(machine.reached())
    if machine.phase == .exchangingKeys {
      session?.socket.beginTurn()
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

  var offer: ServerOffer { ServerOffer(firstBytes: session?.socket.firstBytes ?? []) }

  private func outOfResources() -> SSHFailure {
    SSHFailure(.cannotConnect, "\(options.server) cannot be connected to: there is no memory or no descriptor left")
  }
}
