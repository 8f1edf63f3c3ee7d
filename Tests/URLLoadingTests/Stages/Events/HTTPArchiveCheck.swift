import Foundation

/// What HTTP Archive 1.2 requires, member by member (http://www.softwareishard.com/blog/har-12-spec/).
struct HTTPArchiveCheck {
  private(set) var problems: [String] = []
  private(set) var entries: [[String: Any]] = []

  init(_ data: Data) {
    guard let root = (try? JSONSerialization.jsonObject(with: data)) as? [String: Any] else {
      problems = ["this is no JSON object"]
      return
    }
    let log = object(root, "log", in: "the file")
    if text(log, "version", in: "log") != "1.2" { problems.append("log.version is not 1.2") }
    let creator = object(log, "creator", in: "log")
    _ = text(creator, "name", in: "creator")
    _ = text(creator, "version", in: "creator")
    entries = list(log, "entries", in: "log")
    for (index, entry) in entries.enumerated() { check(entry, "entries[\(index)]") }
    if Set(log.keys).subtracting(["version", "creator", "pages", "entries"]).isEmpty == false {
      problems.append("log has members of no meaning: \(log.keys)")
    }
  }

  private mutating func check(_ entry: [String: Any], _ place: String) {
    let started = text(entry, "startedDateTime", in: place)
    let form = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}(Z|[+-]\d\d:\d\d)/
    if started.wholeMatch(of: form) == nil { problems.append("\(place).startedDateTime: \(started)") }
    let time = number(entry, "time", in: place)
    checkRequest(object(entry, "request", in: place), "\(place).request")
    checkResponse(object(entry, "response", in: place), "\(place).response")
    _ = object(entry, "cache", in: place)
    checkTimings(object(entry, "timings", in: place), time, "\(place).timings")
    for name in ["serverIPAddress", "connection", "comment", "pageref"] where entry[name] != nil {
      _ = text(entry, name, in: place)
    }
  }

  private mutating func checkMessage(_ message: [String: Any], _ place: String) {
    _ = text(message, "httpVersion", in: place)
    for name in ["headers", "cookies"] {
      for pair in list(message, name, in: place) {
        if text(pair, "name", in: "\(place).\(name)").isEmpty { problems.append("\(place).\(name): an empty name") }
        _ = text(pair, "value", in: "\(place).\(name)")
      }
    }
    for name in ["headersSize", "bodySize"] {
      let size = number(message, name, in: place)
      if size < -1 || size != size.rounded() { problems.append("\(place).\(name): \(size)") }
    }
  }

  private mutating func checkRequest(_ request: [String: Any], _ place: String) {
    checkMessage(request, place)
    if text(request, "method", in: place).isEmpty { problems.append("\(place).method is empty") }
    if URL(string: text(request, "url", in: place))?.scheme == nil { problems.append("\(place).url is no URL") }
    for pair in list(request, "queryString", in: place) {
      _ = text(pair, "name", in: "\(place).queryString")
      _ = text(pair, "value", in: "\(place).queryString")
    }
    if request["postData"] != nil { _ = text(object(request, "postData", in: place), "mimeType", in: place) }
  }

  private mutating func checkResponse(_ response: [String: Any], _ place: String) {
    checkMessage(response, place)
    let status = number(response, "status", in: place)
    if status != 0, !(100..<600).contains(status) { problems.append("\(place).status: \(status)") }
    _ = text(response, "statusText", in: place)
    _ = text(response, "redirectURL", in: place)
    let content = object(response, "content", in: place)
    if number(content, "size", in: place) < 0 { problems.append("\(place).content.size is negative") }
    _ = text(content, "mimeType", in: place)
    if let encoding = content["encoding"] as? String {
      if encoding != "base64" || Data(base64Encoded: content["text"] as? String ?? "-") == nil {
        problems.append("\(place).content.encoding: \(encoding)")
      }
    }
  }

  private mutating func checkTimings(_ timings: [String: Any], _ time: Double, _ place: String) {
    var sum = 0.0
    for name in ["send", "wait", "receive"] {
      let part = number(timings, name, in: place)
      if part < 0 { problems.append("\(place).\(name): \(part)") }
      sum += part
    }
    for name in ["blocked", "dns", "connect"] where timings[name] != nil {
      let part = number(timings, name, in: place)
      if part < 0, part != -1 { problems.append("\(place).\(name): \(part)") }
      sum += max(0, part)
    }
    let ssl = timings["ssl"] == nil ? -1 : number(timings, "ssl", in: place)
    if ssl > (timings["connect"] as? Double ?? -1) + 1e-6 { problems.append("\(place).ssl is more than connect") }
    if abs(sum - time) > 1e-6 { problems.append("\(place): the sum is \(sum), the time \(time)") }
  }

  // MARK: Members

  private mutating func object(_ parent: [String: Any], _ name: String, in place: String) -> [String: Any] {
    member(parent, name, in: place) ?? [:]
  }

  private mutating func list(_ parent: [String: Any], _ name: String, in place: String) -> [[String: Any]] {
    member(parent, name, in: place) ?? []
  }

  private mutating func text(_ parent: [String: Any], _ name: String, in place: String) -> String {
    member(parent, name, in: place) ?? ""
  }

  private mutating func number(_ parent: [String: Any], _ name: String, in place: String) -> Double {
    member(parent, name, in: place) ?? 0
  }

  private mutating func member<Value>(_ parent: [String: Any], _ name: String, in place: String) -> Value? {
    guard let value = parent[name] as? Value else {
      problems.append("\(place) has no \(name), or a wrong one")
      return nil
    }
    return value
  }
}
