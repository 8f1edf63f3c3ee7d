internal import URLLoadingBase

/// Runs the transfers of one session: it owns the connections, and the limits that hold for them together.
///
/// Releasing the engine is the same as `shutdown()`.
// Mutable state:
// - `multi`, `isolated`, `retired`, `isShutDown`: confined to the loop's thread, which is the executor of this actor. Entry points
//   that any thread may call post to the loop; there the actor's isolation holds. Three are unsafe in the eyes of the compiler for
//   `begin(_:)` alone, which is called on that thread: the runtime's proof of it takes as long as the rest of the call.
// - `companion`: its lock.
package actor TransferEngine {
  private let loop: EventLoop
  private let configuration: TransferEngineConfiguration
  private let proxies: ProxySelector
  /// Shared with the engine of FTP.
  package nonisolated let proxyLogins: ProxyLogins
  // Safe, this, `isolated` and `isShutDown`: touched on the loop's thread alone, as said above.
  nonisolated(unsafe) private var multi: MultiHandle?
  private var retired: [MultiHandle] = []
  /// Those of transfers that share connections with few others; see ``ConnectionPoolKey``.
  nonisolated(unsafe) private var isolated = IsolatedPools()
  nonisolated(unsafe) private(set) var isShutDown = false
  /// The engine that runs this one's FTP transfers, on the loop for these; made by the first.
  private let companion = Locked(Companion())

  private struct Companion {
    var engine: TransferEngine?
    var isShutDown = false
  }

  package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  package init(
    configuration: TransferEngineConfiguration, loop: EventLoop = .shared, proxyLogins: ProxyLogins = ProxyLogins()
  ) {
    self.loop = loop
    self.proxyLogins = proxyLogins
    self.configuration = configuration
    proxies = ProxySelector(configuration.proxy)
  }

  isolated deinit {
    // The last reference may be released inside a callback of libcurl, which must not be freed while it runs.
    // Nothing else refers to the handles any more; they are used on the loop's thread as before.
    nonisolated(unsafe) let remaining = retired + isolated.all + (multi.map { [$0] } ?? [])
    guard !remaining.isEmpty else { return }
    loop.execute {
      for multi in remaining { multi.close(because: .engineShutDown) }
    }
  }

  // MARK: Entry points for any thread

  /// Begins a transfer. The handler is kept until the transfer has ended. Where the loop's thread cannot be started, it is told so before
  /// this returns.
  package nonisolated func start(_ request: consuming TransferRequest, handler: any TransferHandler) -> Transfer {
    if request.kind == .ftp, loop !== EventLoop.ftp { return ftpEngine().start(request, handler: handler) }
    let transfer = Transfer(loop: loop, self, consume request, handler)
    let error = loop.start()
    if error == 0 {
      loop.execute(.transfer(transfer))
    } else {
      transfer.fail(TransferFailure(.unavailable("the thread of transfers cannot be started", error: error)))
    }
    return transfer
  }

  /// Fails what runs, closes all connections and frees them. Transfers that are started later fail.
  package nonisolated func shutdown() {
    post { $0.close() }
    let ftp = companion.withLock { companion in
      companion.isShutDown = true
      return companion.engine
    }
    ftp?.shutdown()
  }

  /// Later transfers reuse no existing connection. Running transfers continue.
  package nonisolated func closeIdleConnections() {
    post { $0.retireConnections() }
    companion.withLock { $0.engine }?.closeIdleConnections()
  }

  private nonisolated func ftpEngine() -> TransferEngine {
    companion.withLock { companion in
      if let engine = companion.engine { return engine }
      let new = TransferEngine(configuration: configuration, loop: .ftp, proxyLogins: proxyLogins)
      if companion.isShutDown { new.shutdown() }
      companion.engine = new
      return new
    }
  }

  /// The proxy that a URL is loaded through; nil for none.
  package nonisolated func proxy(for url: String) -> ProxyServer? { proxies.proxy(for: url) }

  /// Whether libcurl, or a transfer's deadline, wants a turn of the loop at once.
  package nonisolated func isDue() async -> Bool {
    if await hasDueHandle { return true }
    guard let ftp = companion.withLock({ $0.engine }) else { return false }
    return await ftp.isDue()
  }

  private nonisolated func post(_ body: @escaping @Sendable (isolated TransferEngine) -> Void) {
    loop.execute { self.assumeIsolated { body($0) } }
  }

  // MARK: On the loop

  /// The multi handle of the engine, or of a pool, made at its first use; nil after the shutdown, and without memory. Called on the
  /// loop's thread.
  nonisolated func openMulti(for pool: ConnectionPoolKey? = nil) -> MultiHandle? {
    assert(loop.isCurrentThread)
    guard !isShutDown else { return nil }
    func make() -> MultiHandle? {
      var configuration = configuration
      let isOfSingleConnections = pool?.isOfSingleConnections == true
      if isOfSingleConnections { configuration.maximumConnectionsPerHost = 0 }
      return MultiHandle(
        configuration: configuration, proxies: proxies, proxyLogins: proxyLogins, reactor: loop.reactor,
        isOfSingleConnections: isOfSingleConnections, quic: pool?.quic)
    }
    if let pool { return isolated.open(pool, make) }
    if multi == nil { multi = make() }
    return multi
  }

  private var hasDueHandle: Bool {
    (retired + isolated.all + (multi.map { [$0] } ?? [])).contains { $0.deadline <= .now }
  }

  private func close() {
    isShutDown = true
    let open = retired + isolated.takeAll() + (multi.map { [$0] } ?? [])
    multi = nil
    retired = []
    for multi in open { multi.close(because: .engineShutDown) }
  }

  private func retireConnections() {
    let open = isolated.takeAll() + (multi.map { [$0] } ?? [])
    multi = nil
    retired.removeAll { $0.isClosed }
    for multi in open {
      multi.retire()
      if !multi.isClosed { retired.append(multi) }
    }
  }
}
