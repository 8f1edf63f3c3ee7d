import URLLoading
internal import URLLoadingHTTPSemantics

/// What `-w` writes after a load: text with curl's variables.
struct WriteOut {
  let url: URL
  let number: Int
  let request: URLRequest
  let response: URLResponse?
  /// The body was dropped, since the server has not applied `-z`.
  let isUnwanted: Bool
  let metrics: URLSessionTaskMetrics?
  let file: String?
  let failure: Failure?

  /// The text for a format: `%{NAME}` is a variable, `%header{NAME}` a field of the response, `%%` a percent sign, `\n`, `\r` and `\t` are
  /// characters.
  /// - Parameter unknown: is told the names of variables that there are not, which stand for nothing.
  func text(_ format: String, unknown: (String) -> Void) -> String {
    var result = ""
    var rest = format[...]
    while let character = rest.popFirst() {
      switch character {
      case "\\":
        guard let next = rest.popFirst() else { return result + "\\" }
        result += ["n": "\n", "r": "\r", "t": "\t"][next].map { String($0 as Character) } ?? "\\\(next)"
      case "%":
        if rest.first == "%" {
          rest.removeFirst()
          result += "%"
        } else if let name = Self.name(&rest, after: "{") {
          if let value = value(of: name) { result += value } else { unknown(name) }
        } else if let name = Self.name(&rest, after: "header{") {
          result += (response as? HTTPURLResponse)?.value(forHTTPHeaderField: name) ?? ""
        } else {
          result += "%"
        }
      default: result.append(character)
      }
    }
    return result
  }

  private static func name(_ rest: inout Substring, after prefix: String) -> String? {
    guard rest.hasPrefix(prefix), let end = rest.firstIndex(of: "}") else { return nil }
    let name = rest[..<end].dropFirst(prefix.count)
    rest = rest[rest.index(after: end)...]
    return String(name)
  }

  private var http: HTTPURLResponse? { response as? HTTPURLResponse }
  /// The URL that was loaded, without a password that the user has not written there, such as that of the netrc file.
  private var effective: URL {
    let effective = response?.url ?? request.url ?? url
    guard url.password == nil, effective.password != nil,
      var components = URLComponents(url: effective, resolvingAgainstBaseURL: true)
    else { return effective }
    components.password = nil
    return components.url ?? url
  }

  private var last: URLSessionTaskTransactionMetrics? { metrics?.transactionMetrics.last }

  // swift-format-ignore: one variable a line
  private func value(of name: String) -> String? {
    switch name {
    case "http_code", "response_code": String(format: "%03d", status)
    case "content_type":
      response?.mimeType == nil ? "" : http?.value(forHTTPHeaderField: "Content-Type") ?? response?.mimeType ?? ""
    case "url": url.absoluteString
    case "url_effective": effective.absoluteString
    case "urlnum": String(number)
    case "scheme": (response?.url ?? url).scheme ?? ""
    case "method": request.httpMethod ?? "GET"
    case "num_redirects": String(metrics?.redirectCount ?? 0)
    case "num_connects":
      String(metrics?.transactionMetrics.count { !$0.isReusedConnection && $0.connectEndDate != nil } ?? 0)
    case "redirect_url": redirectTarget
    case "http_version": httpVersion
    case "remote_ip": last?.remoteAddress ?? ""
    case "remote_port": last?.remotePort ?? "0"
    case "local_ip": last?.localAddress ?? ""
    case "local_port": last?.localPort ?? "0"
    case "size_download": String(last?.countOfResponseBodyBytesReceived ?? 0)
    case "size_upload": String(last?.countOfRequestBodyBytesSent ?? 0)
    case "size_header": String(last?.countOfResponseHeaderBytesReceived ?? 0)
    case "size_request": String(last?.countOfRequestHeaderBytesSent ?? 0)
    case "speed_download": String(Int(rate(last?.countOfResponseBodyBytesReceived)))
    case "speed_upload": String(Int(rate(last?.countOfRequestBodyBytesSent)))
    case "time_namelookup": time(last?.domainLookupEndDate)
    case "time_connect": time(last?.secureConnectionStartDate ?? last?.connectEndDate)
    case "time_appconnect": time(last?.secureConnectionEndDate)
    case "time_pretransfer": time(last?.requestStartDate)
    case "time_starttransfer": time(last?.responseStartDate)
    case "time_redirect": time(metrics.flatMap { $0.redirectCount > 0 ? last?.fetchStartDate : nil }, since: start)
    case "time_total": String(format: "%.6f", metrics?.taskInterval.duration ?? 0)
    case "filename_effective": file ?? ""
    case "ssl_verify_result": failure?.reason == .insecure || last?.weakenedChecks.isEmpty == false ? "1" : "0"
    case "exitcode": String(failure?.reason.rawValue ?? 0)
    case "errormsg": failure.map { SafeText.line($0.what) } ?? ""
    case "header_json": headers
    default: nil
    }
  }

  /// As by curl, which simulates the status of a server that applies conditions (`http_firstwrite` of its lib/http.c).
  private var status: Int { isUnwanted ? 304 : http?.statusCode ?? 0 }

  private var start: Date? { metrics?.transactionMetrics.first?.fetchStartDate }

  private func time(_ date: Date?, since start: Date? = nil) -> String {
    let seconds =
      date.flatMap { date in (start ?? last?.fetchStartDate).map { max(0, date.timeIntervalSince($0)) } } ?? 0
    return String(format: "%.6f", seconds)
  }

  private func rate(_ bytes: Int64?) -> Double {
    guard let bytes, let seconds = metrics?.taskInterval.duration, seconds > 0 else { return 0 }
    return Double(bytes) / seconds
  }

  private var httpVersion: String {
    switch last?.networkProtocolName {
    case "http/1.0": "1.0"
    case "http/1.1": "1.1"
    case "h2": "2"
    case "h3": "3"
    default: "0"
    }
  }

  private var redirectTarget: String {
    guard let http, (300..<400).contains(http.statusCode), let place = http.agreedValue(of: "Location") else {
      return ""
    }
    return URL(string: place, relativeTo: http.url)?.absoluteString ?? place
  }

  private var headers: String {
    var values: [String: [String]] = [:]
    let fields = http.map { HTTPURLResponse.ReceivedHead($0).fields } ?? []
    for field in fields { values[field.name.lowercased(), default: []].append(field.value) }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return (try? encoder.encode(values)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
  }
}
