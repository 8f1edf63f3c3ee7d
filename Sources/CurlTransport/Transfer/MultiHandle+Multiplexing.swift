internal import URLLoadingCCurl

/// Multiplexed connections, the batches of requests on them, and what a server says of their streams.
extension MultiHandle {
  /// Whether connections to a host are known to take many transfers at once.
  func isMultiplexing(at place: AdmissionQueue<Transfer>.Place) -> Bool { queue.isMultiplexing(at: place) }

  /// Connections to a host take many transfers at once.
  func multiplexes(at place: AdmissionQueue<Transfer>.Place) {
    if queue.multiplexes(at: place) == .admitNext { reactor.touch(self) }
  }

  /// A connection takes many transfers at once.
  /// - Parameters:
  ///   - socket: the one that was opened last for it. Of several that were tried libcurl may have taken another, and closed that.
  ///   - session: that of TLS.
  ///   - isThroughTLS: whether a session with a proxy is below it.
  func multiplexes(
    on ports: PortPair, openedAs socket: Int32?, _ session: OpaquePointer?, isThroughTLS: Bool = false
  ) {
    guard !isMultiplexed(ports) else { return }
    func isConnections(_ socket: Int32) -> Bool {
      // A socket for datagrams has no peer where the library takes them from anybody, as OpenSSL does.
      quic == nil ? PortPair(of: socket) == ports : PortPair.localPort(of: socket) == ports.local
    }
    let opened = socket.flatMap { isConnections($0) ? $0 : nil }
    guard let socket = opened ?? reactor.openSocket(of: self, where: isConnections) else { return }
    let writes = session.map { SessionWrites(of: $0, on: socket) }
    multiplexed.append(
      MultiplexedConnection(socket: socket, ports: ports, session: session, writes: writes, isThroughTLS: isThroughTLS))
  }

  /// Whether a connection is open, and known to take many transfers at once.
  func isMultiplexed(_ ports: PortPair) -> Bool {
    multiplexed.contains { $0.ports == ports }
  }

  /// Whether another transfer has a connection.
  func hasOthers(than easy: EasyHandle, on ports: PortPair) -> Bool {
    running.contains { $0 !== easy && $0.run.ports == ports }
  }

  /// A socket is about to be closed.
  func socketCloses(_ socket: Int32) {
    if let index = multiplexed.firstIndex(where: { $0.socket == socket }) {
      let connection = multiplexed.remove(at: index)
      verifications[connection.ports] = nil
    }
    forget(connectionOf: socket)
  }

  /// The TLS session of a connection that is known to take many transfers at once.
  func session(on ports: PortPair) -> OpaquePointer? {
    multiplexed.first { $0.ports == ports }?.session
  }

  /// What is written to such a connection; nil where that is not known.
  func writes(on ports: PortPair) -> SessionWrites? {
    multiplexed.first { $0.ports == ports }?.writes
  }

  // MARK: Refusals

  /// One more request, or one less, is followed.
  func follows(_ change: Int) {
    let before = followedRequests
    followedRequests += change
    guard (before == 0) != (followedRequests == 0) else { return }
    for easy in running { easy.hear(followedRequests > 0) }
  }

  /// A server has not looked at streams with numbers beyond `last`.
  func serverGoesAway(on ports: PortPair, last: UInt32) {
    for easy in running where easy.run.ports == ports && !easy.run.isAnswered {
      if let number = easy.run.fate.number, number > last { easy.run.fate.isRefused = true }
    }
  }

  // MARK: Batches

  /// A request is about to be written.
  func requestBegins() {
    perform(batch.requestBegins())
  }

  func perform(_ action: RequestBatch.Action) {
    guard action != .nothing, quic == nil else { return }
    for connection in multiplexed {
      switch action {
      case .nothing: break
      case .cork: reactor.cork(true, connection.socket)
      case .flush: reactor.flushWrites(of: connection.socket)
      case .uncork: reactor.cork(false, connection.socket)
      }
    }
  }
}
