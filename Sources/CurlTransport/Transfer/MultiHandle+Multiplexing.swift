internal import URLLoadingCCurl

/// Multiplexed connections, and the batches of requests on them.
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
  func multiplexes(on ports: PortPair, openedAs socket: Int32?, _ session: OpaquePointer?) {
    guard !isMultiplexed(ports) else { return }
    let opened = socket.flatMap { PortPair(of: $0) == ports ? $0 : nil }
    guard let socket = opened ?? reactor.openSocket(of: self, between: ports) else { return }
    multiplexed.append(MultiplexedConnection(socket: socket, ports: ports, session: session))
  }

  /// Whether a connection is open, and known to take many transfers at once.
  func isMultiplexed(_ ports: PortPair) -> Bool {
    multiplexed.contains { $0.ports == ports }
  }

  /// A socket is about to be closed.
  func socketCloses(_ socket: Int32) {
    if let index = multiplexed.firstIndex(where: { $0.socket == socket }) { multiplexed.remove(at: index) }
    if !verifications.isEmpty, let ports = PortPair(of: socket) { verifications[ports] = nil }
  }

  /// An open connection that takes many transfers at once.
  func multiplexedConnection(_ ports: PortPair) -> MultiplexedConnection? {
    multiplexed.first { $0.ports == ports }
  }

  /// Notes how much has been written to a connection, or to all of them, before libcurl may write more.
  func noteWrittenBytes(to socket: Int32? = nil) {
    for index in multiplexed.indices where socket == nil || multiplexed[index].socket == socket {
      multiplexed[index].noteWrittenBytes()
    }
  }

  /// Has libcurl read for each stream of the connections that it may have given up in its last turn. It ends the streams of such a
  /// connection when it reads for them, one with each event of the socket, and a server that broke the rules may keep silent.
  /// - Parameter running: the transfers that run, as libcurl says.
  func readForStreamsOfGivenUpConnections(running: Int32) {
    let sockets = multiplexed.filter(\.mayHaveWrittenGoAway).map(\.socket)
    // Ends that are not watched show without help.
    guard !sockets.isEmpty, self.running.contains(where: { $0.endWatch != nil }) else { return }
    isReadingForEveryStream = true
    defer { isReadingForEveryStream = false }
    var running = running
    for socket in sockets {
      var idle = 0
      // The first call finds out that the connection is done with.
      while idle < 3, multiplexed.contains(where: { $0.socket == socket }) {
        let before = running
        curl_multi_socket_action(curl, socket, CURL_CSELECT_IN, &running)
        idle = running < before ? 0 : idle + 1
      }
      // Events of other sockets do not ask for it again.
      noteWrittenBytes(to: socket)
    }
  }

  /// A request is about to be written.
  func requestBegins(on ports: PortPair) {
    if let index = multiplexed.firstIndex(where: { $0.ports == ports }) { multiplexed[index].requestBegins() }
    perform(batch.requestBegins())
  }

  func perform(_ action: RequestBatch.Action) {
    guard action != .nothing else { return }
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
