import Foundation
import Glibc
internal import URLLoadingCSSH2

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
  var preferences = AlgorithmPreferences()
  var deadline: Deadline
  var keepAlive: KeepAlive?
  /// The user has more to send than the queue takes.
  var fillsQueue = false
  /// The question that waits for its answer.
  var question: Task<Void, Never>?
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
    apply(wakeDescriptor >= 0 ? machine.start() : machine.close(outOfResources()))
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
    question?.cancel()
    login?.agent.cancel()
    session?.end()
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
    switch action {
    case .nothing: break
    case .reach: reach()
    case .exchangeKeys: beginSession()
    case .judgeHostKey: judgeHostKey()
    case .logIn: login = LoginDriver(driver: self, isOpenSSH: offer.isOpenSSH)
    case .openChannel:
      connection.measure { $0.loggedIn = Date() }
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

  func fail(_ failure: SSHFailure) { close(failure) }

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
    let (targets, port, family) = (options.targets, options.port, options.addressFamily)
    // An address needs no lookup.
    if case .success(let addresses) = SocketAddress.lookUp(targets, port: port, family, numericOnly: true) {
      dialer = Dialer(addresses)
      return
    }
    connection.measure { $0.lookupStart = Date() }
    // A lookup cannot be cancelled: when the connection is closed, its thread ends later, without effect.
    help({ SocketAddress.lookUp(targets, port: port, family, numericOnly: false) }) { $0.lookedUp($1) }
  }

  private func lookedUp(_ result: Result<[SocketAddress], SocketAddress.LookUpFailure>) {
    connection.measure { $0.lookupEnd = Date() }
    switch result {
    case .success(let addresses): dialer = Dialer(addresses)
    case .failure(let failure):
      let kind: SSHFailure.Kind = failure.lacksService ? .noNetwork : .hostNotFound
      fail(SSHFailure(kind, "the name \(options.host) was not found: \(failure.reason)"))
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
    fail(SSHFailure(kind, "through \(name): \(error.localizedDescription)"))
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
    case .failed(let problem, let lacksRoute):
      let kind: SSHFailure.Kind = lacksRoute ? .noNetwork : .cannotConnect
      fail(SSHFailure(kind, "\(options.server) cannot be connected to: \(problem)"))
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
        metrics.keyExchange = session.method(LIBSSH2_METHOD_KEX)
        let cipher = session.method(LIBSSH2_METHOD_CRYPT_SC)
        metrics.cipherIn = cipher
        // libssh2 names one all the same, or says that it has none.
        let needsMAC = cipher.map(AlgorithmPreferences.needsNoMAC) != true
        metrics.macIn = needsMAC ? session.method(LIBSSH2_METHOD_MAC_SC) : nil
      }
      apply(machine.exchangedKeys())
    }
  }

  private func judgeHostKey() {
    guard let key = session?.hostKey() else {
      return fail(SSHFailure(.protocolViolation, "\(options.server) has shown no host key that can be read"))
    }
    let offered = HostKeyOffer(host: options.host, port: options.port, key: key)
    let policy = options.hostKeyPolicy
    ask({ await policy.judge(offered) }) { $0.apply($0.machine.judgedHostKey($1)) }
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
    switch session?.openChannel(options.channel) {
    case .wait, nil: return
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
