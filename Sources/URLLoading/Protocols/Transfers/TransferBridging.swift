internal import URLLoadingCurlTransport

extension URLError {
  /// The error of a transfer: libcurl's message in the description, its code in the underlying error.
  init(_ failure: TransferFailure, url: URL?) {
    if let cause = failure.bodyError as? URLError {
      self = cause
      return
    }
    let underlying: any Error =
      failure.bodyError
      ?? NSError(
        domain: "libcurl", code: failure.curlCode, userInfo: [NSLocalizedDescriptionKey: failure.message])
    self.init(
      failure.urlErrorCode, message: "\(failure.message). URL: \(url?.redactedDescription ?? "none").", url: url,
      underlying: underlying)
  }
}

extension TransferEngineConfiguration {
  init(_ configuration: URLSessionConfiguration) {
    self.init()
    userAgent = HTTPRequestEncoder.userAgent
    acceptLanguage = AcceptLanguage.ofProcess
    sendsDefaultAccept = true
    maximumConnectionsPerHost = max(0, configuration.httpMaximumConnectionsPerHost)
    if let dictionary = configuration.connectionProxyDictionary {
      proxy = .settings(ProxySettings(dictionary))
    }
    tls.minimumVersion = TLSConfiguration.Version(configuration.tlsMinimumSupportedProtocolVersion) ?? .v12
    tls.maximumVersion = TLSConfiguration.Version(configuration.tlsMaximumSupportedProtocolVersion)
    if let file = configuration.certificateAuthorityFile {
      tls.caFile = file.path
      tls.caDirectory = nil
    }
  }
}

extension TLSConfiguration.Version {
  /// Nil for DTLS. Both count their versions up by one.
  init?(_ version: tls_protocol_version_t) {
    let minor = Int(version.rawValue) - Int(tls_protocol_version_t.TLSv10.rawValue)
    self.init(rawValue: Self.v10.rawValue + minor)
  }
}

extension ProxySettings {
  /// CFNetwork's keys (`kCFNetworkProxiesHTTPEnable` and so on). A proxy counts when it has a host and is not disabled.
  init(_ dictionary: [AnyHashable: Any]) {
    self.init()
    var values: [String: Any] = [:]
    for (key, value) in dictionary { values[String(describing: key.base)] = value }
    func number(_ key: String) -> Int? {
      (values[key] as? NSNumber)?.intValue ?? (values[key] as? String).flatMap { Int($0) }
    }
    func server(_ prefix: String, kind: ProxyServer.Kind, port: Int) -> ProxyServer? {
      guard let host = values["\(prefix)Proxy"] as? String, !host.isEmpty, number("\(prefix)Enable") ?? 1 != 0
      else { return nil }
      return ProxyServer(
        kind: kind, host: host, port: number("\(prefix)Port") ?? port,
        user: values["\(prefix)User"] as? String ?? values["kCFProxyUsernameKey"] as? String,
        password: values["\(prefix)Password"] as? String ?? values["kCFProxyPasswordKey"] as? String)
    }
    http = server("HTTP", kind: .http, port: 80)
    https = server("HTTPS", kind: .http, port: 443)
    ftp = server("FTP", kind: .http, port: 80)
    let isVersion4 = (values["SOCKSVersion"] as? String)?.hasSuffix("4") ?? (number("SOCKSVersion") == 4)
    // The proxy resolves names, which this machine may not be able to.
    socks = server("SOCKS", kind: isVersion4 ? .socks4a : .socks5h, port: 1080)
    exceptions = values["ExceptionsList"] as? [String] ?? []
    excludesSimpleHostnames = (number("ExcludeSimpleHostnames") ?? 0) != 0
  }
}
