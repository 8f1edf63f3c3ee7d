internal import URLLoadingBase
internal import URLLoadingCCurl

/// Turns a request into libcurl's options.
extension EasyHandle {
  /// Whether the handle is worth keeping for another transfer.
  var isReusable: Bool { shape?.keepsLargeBuffers != true && !isOfOneTransfer }

  /// Sets what the request needs, and nothing that is set already.
  func configure(
    for request: borrowing TransferRequest, body: borrowing TransferRequest.Body,
    _ configuration: TransferEngineConfiguration, _ proxy: ProxyServer?
  ) throws(InvalidRequest) {
    // Fields that are in libcurl's list already were checked before. Gained 5 % of instructions: 1 KB by HTTP/1.1.
    let hasSameHeaders = hasFields && request.headers.elementsEqual(headers, by: { $0 == $1 })
    // What can be split has no byte that a URL may not have.
    let originLength = configuration.splitsURLs ? request.url.withBytes(SplitURL.originLength) : nil
    try RequestRules.check(request, url: originLength == nil, fields: !hasSameHeaders)
    if let refusal = CurlLibrary.shared.refusal { throw refusal }
    if let variable = proxy?.malformedVariable { throw .malformedProxy(variable) }
    let isSameShape = reshape(for: request, body, configuration, proxy)
    if !isSameShape { try checkEnds(configuration.network.connections) }
    setShare(for: request, configuration.network, proxy)
    run.kind = request.kind
    expectFirstField()
    run.wantsMetrics = request.wantsMetrics
    run.isHeadRequest = request.method == "HEAD"
    run.coalescingLimit = request.coalescingLimit
    run.typeOfService = request.typeOfService
    run.hasAlternative = request.hasAlternative
    if let route = request.quic { run.quicWatch = QUICWatch(headStart: route.headStart) }
    if shape?.isIsolated == true, shape?.usesTLS != false,
      !(configuration.usesLinkedOpenSSL ?? CurlLibrary.shared.usesLinkedOpenSSL)
    {
      throw .otherTLSLibrary
    }
    run.credentialsAnswer401 = request.credential != nil
    run.credentialsAnswer407 = request.proxyCredential != nil || proxy?.user != nil
    // Whether the text is a URL comes out with the transfer.
    guard setURL(request.url, originLength) else {
      shape = nil
      throw InvalidRequest(message: "libcurl does not take the URL")
    }
    if !isSameShape || !hasSameHeaders, request.kind == .http, let shape, !shape.connectsOnly {
      setHeaders(request.headers, shape, configuration)
    }
    if request.kind == .ftp { setQuestions(for: request) }
    if shape?.connectsOnly == true, run.connection == nil { run.body = OutgoingBody(copy body) }
    if shape?.hasBody == true {
      run.body = OutgoingBody(copy body)
      if shape?.hasInlineBody == true {
        setInlineBody(body)
      } else {
        set(CURLOPT_INFILESIZE_LARGE, run.body.map { $0.length ?? -1 } ?? 0)
      }
    }
  }

  /// - Returns: whether the handle had the request's shape.
  private func reshape(
    for request: borrowing TransferRequest, _ body: borrowing TransferRequest.Body,
    _ configuration: TransferEngineConfiguration, _ proxy: ProxyServer?
  ) -> Bool {
    let new = EasyHandleShape(request, body: body, configuration.network, proxy: proxy)
    if let shape, new == shape, new.isReusable { return true }
    curl_easy_reset(curl)
    origin.isSet = false
    socketPath = nil
    lacksEnds = false
    clearHeaders()
    curl_slist_free_all(proxyHeaderList)
    proxyHeaderList = nil
    clearQUIC()
    setCallbacks()
    setConstants(configuration)
    setShape(new, configuration)
    shape = new
    return false
  }

  // MARK: Options

  /// Whether connections can have the ends that they are to have.
  private func checkEnds(_ rules: ConnectionRules) throws(InvalidRequest) {
    do throws(InvalidRequest) {
      if let socketPath { try UnixSocketPath.check(socketPath) } else { try rules.localEnd?.check() }
      // It would connect elsewhere.
      if lacksEnds { throw InvalidRequest(message: "this libcurl cannot choose where connections begin or end") }
    } catch {
      shape = nil
      throw error
    }
  }

  private func setConstants(_ configuration: TransferEngineConfiguration) {
    set(CURLOPT_ERRORBUFFER, UnsafeRawPointer(errorBuffer))
    set(CURLOPT_NOSIGNAL, 1)
    // A cancelled transfer must not wait for the thread that resolves its host's name.
    set(CURLOPT_QUICK_EXIT, 1)
    setNetwork(configuration.network)
    set(CURLOPT_PATH_AS_IS, 1)
    set(CURLOPT_TCP_NODELAY, 1)
    setTLS(configuration.tls)
    setHandshakeCallback()
  }

  private func setNetwork(_ network: NetworkLimits) {
    switch network.addressFamily {
    case .any: break
    case .ipv4: set(CURLOPT_IPRESOLVE, Int(CURL_IPRESOLVE_V4))
    case .ipv6: set(CURLOPT_IPRESOLVE, Int(CURL_IPRESOLVE_V6))
    }
    if !network.hostAddresses.isEmpty {
      if addressList == nil {
        for line in network.hostAddresses {
          // Nil only when memory ran out; the list is then as before.
          if let list = curl_slist_append(addressList, line) { addressList = list }
        }
      }
      _ = ccurl_set_list(curl, CURLOPT_RESOLVE, addressList)
    }
    // 0 would be libcurl's own limit.
    if let timeout = network.connectionTimeout {
      set(CURLOPT_CONNECTTIMEOUT_MS, Int(max(1, min(timeout * 1000, 2_000_000_000))))
    }
    let rules = network.connections
    setLifetimes(rules)
    if let end = rules.localEnd { setLocalEnd(end) }
    if let rate = network.sendRate { set(CURLOPT_MAX_SEND_SPEED_LARGE, Int64(rate)) }
    recordsRequestHeads = network.recordsRequestHeads
    if recordsRequestHeads { set(CURLOPT_VERBOSE, 1) }
  }

  /// libcurl looks at the times when it chooses a connection, and closes those that are over.
  private func setLifetimes(_ rules: ConnectionRules) {
    maximumUses = rules.maximumRequests ?? .max
    if let time = rules.maximumIdleTime { set(CURLOPT_MAXAGE_CONN, time) }
    if let age = rules.maximumAge { set(CURLOPT_MAXLIFETIME_CONN, age) }
    // The kernel's most (tcp(7), TCP_KEEPIDLE): what is longer it would not take, and probe by its own time.
    guard let interval = rules.keepAliveInterval.map({ min($0, 32_767) }) else { return }
    set(CURLOPT_TCP_KEEPALIVE, 1)
    set(CURLOPT_TCP_KEEPIDLE, interval)
    set(CURLOPT_TCP_KEEPINTVL, interval)
  }

  private func setLocalEnd(_ end: LocalEnd) {
    if let place = end.interfaceOption, !set(CURLOPT_INTERFACE, place) { lacksEnds = true }
    guard let ports = end.ports else { return }
    set(CURLOPT_LOCALPORT, Int(ports.lowerBound))
    set(CURLOPT_LOCALPORTRANGE, ports.count)
  }

  private func setShare(for request: borrowing TransferRequest, _ network: NetworkLimits, _ proxy: ProxyServer?) {
    // Those of one transfer are set with its shape.
    guard let shape, sessionShare == nil else { return }
    let keepsSessions = shape.usesTLS && !shape.isIsolated
    let new: UnsafeMutableRawPointer? =
      network.hasNamesOfItsOwn
      ? nil : keepsSessions ? reactor.share(for: ConnectionKey(url: request.url, proxy: proxy)) : reactor.share
    guard new != share else { return }
    set(CURLOPT_SHARE, new.map { UnsafeRawPointer($0) })
    share = new
  }

  private func setTLS(_ tls: TLSConfiguration) {
    setRoots(of: tls, CURLOPT_CAINFO, CURLOPT_CAPATH)
    set(CURLOPT_SSLVERSION, Self.versions(of: tls))
  }

  /// The roots come with the handshake's callback: libcurl keeps those of a file for a day, and with a folder it parses all certificates of
  /// the file for every connection. It gets file and folder where there is no such callback.
  private func setRoots(of tls: TLSConfiguration, _ fileOption: CURLoption, _ directoryOption: CURLoption) {
    let isCalledBack = CurlLibrary.shared.usesLinkedOpenSSL
    let roots = tls.authorities
    for (option, path) in [(fileOption, roots.file), (directoryOption, roots.directory)] {
      if !isCalledBack, let path { set(option, path) } else { _ = ccurl_set_string(curl, option, nil) }
    }
  }

  /// The oldest and the newest version, as libcurl has them in one number.
  private static func versions(of tls: TLSConfiguration) -> Int {
    tls.minimumVersion.rawValue | (tls.maximumVersion.map { max($0, tls.minimumVersion).rawValue << 16 } ?? 0)
  }

  private func setShape(_ shape: EasyHandleShape, _ configuration: TransferEngineConfiguration) {
    set(CURLOPT_PROTOCOLS_STR, shape.kind == .http ? "http,https" : "ftp")
    // Up to 64 KiB the memory of many buffers at once fits into the processors' caches, and stays with the loop (CBlockCache).
    set(CURLOPT_BUFFERSIZE, configuration.network.bufferSize(shape.expectsLargeBody ? 512 << 10 : 64 << 10))
    if shape.hasLargeBody { set(CURLOPT_UPLOAD_BUFFERSIZE, 1024 * 1024) }
    // After a command that a server refused, 7.88.1 sometimes waits for ever on a control connection that is used again.
    if shape.kind == .ftp {
      set(CURLOPT_FRESH_CONNECT, 1)
      set(CURLOPT_FORBID_REUSE, 1)
    }
    setProxy(shape, configuration.tls)
    if shape.isIsolated {
      // The handshake rules verify the name; a resumed handshake verifies nothing.
      set(CURLOPT_SSL_VERIFYHOST, 0)
      set(CURLOPT_PROXY_SSL_VERIFYHOST, 0)
      set(CURLOPT_SSL_SESSIONID_CACHE, 0)
      if shape.ftpTLS == .explicit, shape.proxy?.kind != .https { keepSessionsOfTransfer() }
    }
    // CONNECT has this one, too, and no field of the list.
    if shape.proxy != nil, let agent = configuration.userAgent { set(CURLOPT_USERAGENT, agent) }
    if let credential = shape.credential {
      set(CURLOPT_USERNAME, credential.user)
      set(CURLOPT_PASSWORD, credential.password)
      set(CURLOPT_HTTPAUTH, credential.schemes.rawValue)
    }
    if shape.hasInlineBody {
      set(CURLOPT_POST, 1)
      setProgressCallback()
    } else if shape.hasBody {
      set(CURLOPT_UPLOAD, 1)
      setBodyCallbacks()
    }
    switch shape.kind {
    case .http: setHTTP(shape, configuration.network)
    case .ftp: setFTP(shape)
    }
  }

  /// Servers of FTP may take no data connection but one that resumes the session of the control connection: those of this transfer are
  /// kept, and are for no other. A control connection, which is new for each transfer, finds none. Without a share they would be the
  /// handle's up to libcurl 8.11, and since then the multi handle's.
  private func keepSessionsOfTransfer() {
    isOfOneTransfer = true
    sessionShare = sessionShare ?? curl_share_init()
    guard let sessionShare, ccurl_share_data(sessionShare, CURL_LOCK_DATA_SSL_SESSION) == CURLSHE_OK else { return }
    set(CURLOPT_SHARE, UnsafeRawPointer(sessionShare))
    set(CURLOPT_SSL_SESSIONID_CACHE, 1)
  }

  private func setHTTP(_ shape: EasyHandleShape, _ network: NetworkLimits) {
    if shape.method == "HEAD" {
      set(CURLOPT_NOBODY, 1)
    } else if shape.method != (shape.hasInlineBody ? "POST" : shape.hasBody ? "PUT" : "GET") {
      set(CURLOPT_CUSTOMREQUEST, shape.method)
    }
    if shape.connectsOnly { return setConnectionOnly(network) }
    if let path = shape.unixSocket ?? network.connections.unixSocketPath { setUnixSocket(path) }
    if shape.switchesProtocols { return setProtocolSwitch() }
    if let route = shape.quic { return setQUIC(route, network) }
    let allowsHTTP2 = network.allowsHTTP2 && !shape.avoidsHTTP2 && socketPath == nil
    set(CURLOPT_HTTP_VERSION, Int(allowsHTTP2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1))
    // Wait for a connection that may turn out to be HTTP/2. On http:// every transfer would wait for the first to end.
    if shape.isHTTPS, allowsHTTP2 { set(CURLOPT_PIPEWAIT, 1) }
    if let weight = shape.streamWeight { set(CURLOPT_STREAM_WEIGHT, min(max(weight, 1), 256)) }
  }

  /// The socket takes the place of the host's addresses. Sessions of TLS are told apart by their host alone, and are not resumed here. HTTP/2
  /// is not spoken: what is noted of a connection that takes many requests is found by its ports.
  private func setUnixSocket(_ path: String) {
    socketPath = path
    if !set(CURLOPT_UNIX_SOCKET_PATH, path) { lacksEnds = true }
    set(CURLOPT_IPRESOLVE, Int(CURL_IPRESOLVE_WHATEVER))
    set(CURLOPT_SSL_SESSIONID_CACHE, 0)
  }

  /// Upgrade is a matter of HTTP/1.1 (RFC 9113, section 8.6), and of the whole way through a proxy.
  private func setProtocolSwitch() {
    set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
    set(CURLOPT_HTTPPROXYTUNNEL, 1)
    set(CURLOPT_FRESH_CONNECT, 1)
    set(CURLOPT_FORBID_REUSE, 1)
    set(CURLOPT_TCP_KEEPALIVE, 1)
  }

  /// In milliseconds it has to be an `int`.
  private static let longestConnectSeconds = 2_000_000

  private func setConnectionOnly(_ network: NetworkLimits) {
    set(CURLOPT_CONNECT_ONLY, 1)
    set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
    set(CURLOPT_HTTPPROXYTUNNEL, 1)
    set(CURLOPT_FRESH_CONNECT, 1)
    set(CURLOPT_TCP_KEEPALIVE, 1)
    // The application protocol is unknown here.
    set(CURLOPT_SSL_ENABLE_ALPN, 0)
    // The owner says how long it may take; libcurl would give up after 5 minutes.
    if network.connectionTimeout == nil { set(CURLOPT_CONNECTTIMEOUT, Self.longestConnectSeconds) }
  }

  /// CURLUSESSL_ALL: an enumerator in older headers, a number in newer ones, and no one type in Swift.
  private static let requiresTLS = 3

  private func setFTP(_ shape: EasyHandleShape) {
    switch shape.method {
    case "PUT": break
    // libcurl would take the reply to SIZE for the end of the file, and sends REST only together with SIZE.
    case "GET": set(CURLOPT_IGNORE_CONTENT_LENGTH, 1)
    case "HEAD": set(CURLOPT_NOBODY, 1)
    default: set(CURLOPT_CUSTOMREQUEST, shape.method)
    }
    setCommandCallback()
    if let range = shape.range { set(CURLOPT_RANGE, range) }
    if shape.ftpTLS == .explicit { set(CURLOPT_USE_SSL, Self.requiresTLS) }
  }

  private func setProxy(_ shape: EasyHandleShape, _ tls: TLSConfiguration) {
    // The empty string also keeps libcurl from looking into the environment by itself.
    set(CURLOPT_PROXY, shape.proxy?.url ?? "")
    _ = ccurl_set_string(curl, CURLOPT_NOPROXY, "")
    guard let proxy = shape.proxy else { return }
    for line in shape.proxyFields {
      if let list = curl_slist_append(proxyHeaderList, line) { proxyHeaderList = list }
    }
    if proxyHeaderList != nil { _ = ccurl_set_list(curl, CURLOPT_PROXYHEADER, proxyHeaderList) }
    if shape.kind == .ftp { set(CURLOPT_HTTPPROXYTUNNEL, 1) }
    if proxy.kind == .https { setProxyTLS(tls) }
    // libcurl speaks GSS-API to SOCKS proxies with calls that block the loop's thread: it is not offered.
    if proxy.kind.isSOCKS { set(CURLOPT_SOCKS5_AUTH, TransferCredential.Schemes.basic.rawValue) }
    if let credential = shape.proxyCredential {
      set(CURLOPT_PROXYUSERNAME, credential.user)
      set(CURLOPT_PROXYPASSWORD, credential.password)
      set(CURLOPT_PROXYAUTH, credential.schemes.rawValue)
    } else if let user = proxy.user {
      set(CURLOPT_PROXYUSERNAME, user)
      set(CURLOPT_PROXYPASSWORD, proxy.password ?? "")
    }
  }

  /// A proxy that is spoken to over TLS is verified as servers are.
  private func setProxyTLS(_ tls: TLSConfiguration) {
    setRoots(of: tls, CURLOPT_PROXY_CAINFO, CURLOPT_PROXY_CAPATH)
    set(CURLOPT_PROXY_SSLVERSION, Self.versions(of: tls))
  }

  // MARK: Setting one option

  func set(_ option: CURLoption, _ value: Int) {
    _ = ccurl_set_long(curl, option, value)
  }

  func set(_ option: CURLoption, _ value: Int64) {
    _ = ccurl_set_off(curl, option, curl_off_t(value))
  }

  func set(_ option: CURLoption, _ value: UnsafeRawPointer?) {
    _ = ccurl_set_pointer(curl, option, value)
  }

  @discardableResult
  func set(_ option: CURLoption, _ value: String) -> Bool {
    // Not by the implicit bridge, which copies the text.
    value.withCString { ccurl_set_string(curl, option, $0) == CURLE_OK }
  }
}
