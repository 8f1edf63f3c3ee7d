import URLLoading

/// The times of a request, as text.
enum TimingText {
  /// Lines for one request and its response: the peer, and when each phase ended.
  static func lines(of metrics: URLSessionTaskTransactionMetrics) -> [String] {
    var peer: [String] = []
    if let name = metrics.networkProtocolName { peer.append(name) }
    if let address = metrics.remoteAddress {
      peer.append("\(address)\(metrics.remotePort.map { " port \($0)" } ?? "")")
    }
    if metrics.isProxyConnection { peer.append("by proxy") }
    if metrics.isReusedConnection { peer.append("reused connection") }
    let securing = metrics.networkProtocolName?.hasPrefix("sftp") == true ? "key exchange" : "TLS"
    let phases: [(String, Date?)] = [
      ("name", metrics.domainLookupEndDate), ("connection", metrics.connectEndDate),
      (securing, metrics.secureConnectionEndDate), ("request sent", metrics.requestEndDate),
      ("first byte", metrics.responseStartDate), ("all", metrics.responseEndDate),
    ]
    let start = metrics.fetchStartDate
    let times = phases.compactMap { name, date -> String? in
      guard let start, let date else { return nil }
      return "\(name) \(String(format: "%.4f", max(0, date.timeIntervalSince(start)))) s"
    }
    return [
      peer.isEmpty ? nil : "* peer: " + peer.joined(separator: ", "),
      times.isEmpty ? nil : "* time since the start: " + times.joined(separator: ", "),
      "* bytes: \(metrics.countOfRequestBodyBytesSent) sent, \(metrics.countOfResponseBodyBytesReceived) received",
    ].compactMap { $0 }
  }
}
