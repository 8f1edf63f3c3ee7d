import Foundation
internal import URLLoadingBase
internal import URLLoadingCCurl

/// What libcurl and the handle know about how the transfer went.
extension EasyHandle {
  func metrics() -> TransferMetrics {
    let metrics = TransferMetrics()
    metrics.start = Date(timeIntervalSince1970: run.startTime)
    metrics.nameLookup = seconds(CURLINFO_NAMELOOKUP_TIME_T)
    metrics.connect = seconds(CURLINFO_CONNECT_TIME_T)
    metrics.secureConnection = seconds(CURLINFO_APPCONNECT_TIME_T)
    metrics.preTransfer = seconds(CURLINFO_PRETRANSFER_TIME_T)
    metrics.startTransfer = seconds(CURLINFO_STARTTRANSFER_TIME_T)
    if shape?.quic != nil, run.isRequestSent {
      // One handshake is both (RFC 9001, section 4), and libcurl may tell the end of one alone, or of none.
      metrics.secureConnection = metrics.secureConnection ?? metrics.connect ?? metrics.preTransfer
      metrics.connect = metrics.nameLookup ?? 0
    }
    let elapsed = run.startInstant.seconds(to: .now)
    // libcurl's total ends with what it has read itself.
    let isDirect = run.directReceiving.socket != nil
    metrics.total = isDirect ? elapsed : Double(ccurl_get_off(curl, CURLINFO_TOTAL_TIME_T)) * 1e-6
    metrics.recordQueueTime(run.queueTime, elapsed: elapsed)
    metrics.isReusedConnection = run.isRequestSent && ccurl_get_long(curl, CURLINFO_NUM_CONNECTS) == 0
    metrics.isProxyConnection = shape?.proxy != nil
    if run.hasHead { metrics.networkProtocol = networkProtocol }
    // A failed check is overridden once the owner has accepted the peer.
    metrics.verification = run.connection?.question == nil ? run.verification : nil
    // With OpenSSL's QUIC libcurl shows no session; an older version there cannot be (RFC 9001, section 4.2).
    metrics.tlsVersion = run.tlsVersion ?? (shape?.quic != nil && run.isRequestSent ? Self.tls13 : nil)
    metrics.tlsCipherSuite = run.tlsCipherSuite
    if socketPath == nil {
      metrics.localAddress = text(CURLINFO_LOCAL_IP)
      metrics.remoteAddress = text(CURLINFO_PRIMARY_IP)
    }
    if metrics.localAddress != nil { metrics.localPort = ccurl_get_long(curl, CURLINFO_LOCAL_PORT) }
    if metrics.remoteAddress != nil { metrics.remotePort = ccurl_get_long(curl, CURLINFO_PRIMARY_PORT) }
    metrics.requestHeaderBytes = sentHeadBytes
    metrics.requestBodyBytes = sentBodyBytes(uploaded: uploadedBytes)
    metrics.responseHeaderBytes = Int64(ccurl_get_long(curl, CURLINFO_HEADER_SIZE))
    metrics.responseBodyBytes = Int64(ccurl_get_off(curl, CURLINFO_SIZE_DOWNLOAD_T)) + run.directReceiving.receivedBytes
    metrics.decodedBodyBytes = run.deliveredBytes
    if !run.sentHeads.isEmpty { metrics.sentRequestHead = String(decoding: run.sentHeads, as: UTF8.self) }
    return metrics
  }

  private static let tls13: UInt16 = 0x0304

  private func seconds(_ info: CURLINFO) -> Double? {
    let microseconds = ccurl_get_off(curl, info)
    return microseconds > 0 ? Double(microseconds) * 1e-6 : nil
  }

  private func text(_ info: CURLINFO) -> String? {
    guard let value = ccurl_get_string(curl, info), value.pointee != 0 else { return nil }
    return String(cString: value)
  }

  private var networkProtocol: String? {
    if run.kind == .ftp { return "ftp" }
    switch ccurl_get_long(curl, CURLINFO_HTTP_VERSION) {
    case 1: return "http/1.0"
    case 2: return "http/1.1"
    case 3: return "h2"
    case 30: return "h3"
    default: return nil
    }
  }
}
