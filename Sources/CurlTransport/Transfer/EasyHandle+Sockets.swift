import Glibc
internal import URLLoadingBase
internal import URLLoadingCCurl

/// The sockets that libcurl opens for a transfer, and closes.
extension EasyHandle {
  func setSocketCallbacks(_ context: UnsafeRawPointer) {
    set(CURLOPT_OPENSOCKETDATA, context)
    _ = ccurl_set_open_socket(curl) { context, _, address in
      guard let handle = EasyHandle.handle(context), let address else { return -1 }
      return handle._withUnsafeGuaranteedRef { $0.openSocket(address) }
    }
    // A connection outlives the transfer that opened it, so the context is what outlives them all.
    set(CURLOPT_CLOSESOCKETDATA, UnsafeRawPointer(Unmanaged.passUnretained(reactor).toOpaque()))
    _ = ccurl_set_close_socket(curl) { context, descriptor in
      guard let context else { return close(descriptor) }
      return Unmanaged<Reactor>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.closeSocket(descriptor) }
    }
  }

  private func openSocket(_ pointer: UnsafePointer<curl_sockaddr>) -> curl_socket_t {
    leaveQueue()
    guard let multi, !refusesRepetition() else { return -1 }
    if run.connection != nil {
      // An established connection is adopted, and no other opened.
      guard let descriptor = run.connection?.takeAdopted() else { return -1 }
      reactor.adoptSocket(descriptor, owner: multi)
      return descriptor
    }
    connectionOpens()
    let address = pointer.pointee
    // An IPv6 address extends beyond the declared type.
    if socketPath == nil, let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) {
      run.triedAddresses.begin(UnsafeRawPointer(pointer) + offset, length: Int(address.addrlen))
    }
    let descriptor = reactor.openSocket(
      domain: address.family, type: address.socktype, protocol: address.protocol, owner: multi, isFTP: run.kind == .ftp)
    if descriptor >= 0 {
      run.openedSocket = descriptor
    } else if SystemShortage.isOne(errno) {
      run.socketShortage = errno
    }
    if descriptor >= 0, run.hasAlternative {
      // Two more SYNs, which takes 3 or 7 s. libcurl's connect timeout covers the whole path: a slow server behind a
      // proxy is not the proxy's fault.
      var count: Int32 = 2
      setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_SYNCNT, &count, socklen_t(MemoryLayout<Int32>.size))
    }
    if shape?.isIsolated == true { run.handshakes = Handshakes() }
    if run.quicWatch != nil { quicConnects() }
    if descriptor >= 0, let typeOfService = run.typeOfService {
      var value = Int32(typeOfService)
      let size = socklen_t(MemoryLayout<Int32>.size)
      if address.family == AF_INET6 {
        setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_TCLASS, &value, size)
      } else {
        setsockopt(descriptor, Int32(IPPROTO_IP), IP_TOS, &value, size)
      }
    }
    return descriptor
  }

  /// Whether the connection to a Unix socket that the transfer has opened, if it has, is one: libcurl may take a server whose queue of connections
  /// is full (`EAGAIN`) for one that is about to answer.
  func isConnectedToUnixSocket() -> Bool {
    guard let socketPath, let socket = run.openedSocket, !PortPair.hasPeer(socket) else { return true }
    run.failureReason = .unixSocket(path: socketPath, error: EAGAIN)
    return false
  }

  func leaveQueue() {
    guard run.queueTime == nil, let transfer = run.transfer else { return }
    run.queueTime = run.startInstant.seconds(to: .now)
    if run.kind == .ftp { waitAnew() }
    run.handler?.transferDidLeaveQueue(transfer)
  }

  /// A connection is opened, perhaps for a request that libcurl sends again by itself: the proxy that it is through speaks first, once more.
  func connectionOpens() {
    guard run.kind == .http, shape?.proxy != nil, run.isRequestSent || run.proxyHead != nil else { return }
    run.isRequestSent = false
    run.proxyHead = nil
    run.pendingHead = nil
    expectHead()
  }
}
