import Glibc
internal import URLLoadingBase
internal import URLLoadingCCurl

/// HTTP/3 by QUIC alone. libcurl by itself races it with TCP, which asks two questions about a server at a time, and sends a request by
/// either; so whoever begins the transfer chooses the way, and takes another after a failure that names a ``QUICFault``.
extension EasyHandle {
  /// Idle connections are not used again after this, in seconds: a server that was started anew says nothing, and a request on such a
  /// connection waits in vain.
  private static let longestRest = 15

  // MARK: Options

  func setQUIC(_ route: QUICRoute, _ network: NetworkLimits) {
    set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_3ONLY))
    set(CURLOPT_PIPEWAIT, 1)
    set(CURLOPT_MAXAGE_CONN, min(network.connections.maximumIdleTime ?? Self.longestRest, Self.longestRest))
    // Nil only when memory ran out.
    endpointList = curl_slist_append(nil, route.connectTo)
    _ = ccurl_set_list(curl, CURLOPT_CONNECT_TO, endpointList)
  }

  /// After a reset, which forgets that libcurl has it.
  func clearQUIC() {
    curl_slist_free_all(endpointList)
    endpointList = nil
  }

  // MARK: Watching

  /// A socket is opened for the transfer.
  func quicConnects() { watchQUIC { $0.connects(at: .now) } }

  /// The request is about to be sent.
  func quicRequestBegins(on ports: PortPair) {
    // Of a connection that is not known no sign can be waited for.
    let isNew = ccurl_get_long(curl, CURLINFO_NUM_CONNECTS) > 0 || multi?.isMultiplexed(ports) != true
    // What has come on an idle connection is read now.
    let turn = isNew || multi?.hasUnread(on: ports) != true ? reactor.turn &- 1 : reactor.turn &+ 1
    watchQUIC { $0.requestBegins(isNew: isNew, turn: turn, at: .now) }
  }

  /// The request got an answer.
  func quicAnswerCame() { watchQUIC { $0.answerCame() } }

  /// A deadline of the watch is reached. The loop may have been busy: what came meanwhile is read first.
  func quicDeadlineIsReached(_ now: MonotonicInstant) {
    guard let turn = overdueTurn, turn != reactor.turn else {
      overdueTurn = reactor.turn
      deadline = now
      return
    }
    let lastTurn = run.ports.flatMap { multi?.lastDatagram(on: $0) }
    let mayBeRepeated = mayBeRepeated && !run.hasHead
    watchQUIC { $0.deadlineIsReached(lastTurn: lastTurn, mayBeRepeated: mayBeRepeated) }
  }

  /// Takes the handle out of libcurl's hands. A connection on which its request has waited in vain is closed, unless others use it: another one
  /// costs a round trip, and this one may cost the timeout of each request that follows.
  func removingFromQUIC(_ remove: () -> Void) {
    guard let watch = run.quicWatch, watch.hasWaitedInVain(at: .now) else { return remove() }
    set(CURLOPT_FORBID_REUSE, 1)
    remove()
    set(CURLOPT_FORBID_REUSE, 0)
  }

  /// Carries out what the watch says of an event.
  private func watchQUIC(_ event: (inout QUICWatch) -> QUICWatch.Action) {
    guard var watch = run.quicWatch else { return }
    let action = event(&watch)
    run.quicWatch = watch
    switch action {
    case .nothing: break
    case .wait(let deadline): multi?.setDeadline(deadline, of: self)
    case .leave(let deadline):
      multi?.setDeadline(deadline, of: self)
      multi?.abandonQUIC()
    case .giveUp(let fault):
      // libcurl may have been about to send the request again.
      run.quicFault = run.sentRequests > 0 ? .pathLost : fault
      multi?.finish(self, CURLE_OPERATION_TIMEDOUT)
    }
  }

  // MARK: Judging

  /// Says whether a failed transfer could go another way.
  func judgeQUIC(_ failure: inout TransferFailure) {
    if run.quicFault == nil, failure.reason == .libcurl {
      switch (failure.curlCode, run.isRequestSent) {
      // COULDNT_RESOLVE_HOST
      case (6, false) where shape?.quic?.isElsewhere == true: run.quicFault = .refused
      // COULDNT_CONNECT, WEIRD_SERVER_REPLY, OPERATION_TIMEDOUT, SEND_ERROR, RECV_ERROR, HTTP3, QUIC_CONNECT_ERROR: a certificate has other
      // codes, and TCP would be refused for it, too.
      case (7, false), (8, false), (28, false), (55, false), (56, false), (95, false), (96, false):
        run.quicFault = .refused
        if failure.curlCode != 28 { failure.urlErrorCode = .cannotConnectToHost }
      // libcurl may have tried again on a connection of its own.
      case (7, true), (8, true), (55, true), (56, true), (95, true), (96, true):
        if failure.hasNoResponse { run.quicFault = .pathLost }
      default: break
      }
    }
    failure.quicFault = run.quicFault
    switch run.quicFault {
    case .abandoned: failure.isRepeatable = true
    case .pathLost: failure.isRepeatable = failure.isRepeatable || mayBeRepeated
    case .refused, .headStartOver, nil: break
    }
  }
}

extension MultiHandle {
  /// Something can be read from a socket.
  func datagramCame(on socket: Int32) {
    if let index = multiplexed.firstIndex(where: { $0.socket == socket }) {
      multiplexed[index].lastDatagram = reactor.turn
      return
    }
    for easy in running where easy.run.openedSocket == socket && easy.run.quicWatch != nil {
      easy.run.quicWatch?.hears()
    }
  }

  /// The turn of the loop in which a datagram came last on a connection; nil for never.
  func lastDatagram(on ports: PortPair) -> UInt64? {
    multiplexed.first { $0.ports == ports }?.lastDatagram
  }

  /// Whether something has come on a connection that was not read.
  func hasUnread(on ports: PortPair) -> Bool {
    guard let socket = multiplexed.first(where: { $0.ports == ports })?.socket else { return false }
    var descriptor = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
    return poll(&descriptor, 1, 0) > 0
  }
}
