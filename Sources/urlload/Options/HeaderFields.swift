import URLLoading

/// The fields that several options ask for together.
enum HeaderFields {
  /// Fields that have one value; the last that is given counts. Others are lists.
  private static let single: Set<String> = [
    "authorization", "content-length", "content-location", "content-range", "content-type", "date", "from", "host",
    "if-modified-since", "if-range", "if-unmodified-since", "max-forwards", "origin", "proxy-authorization", "range",
    "referer", "user-agent",
  ]

  /// Adds a field to those that a request has.
  static func add(_ header: LoadOptions.Header, to request: inout URLRequest) {
    let name = header.name.lowercased()
    let earlier = request.value(forHTTPHeaderField: name)
    if let value = header.value, let earlier, name == "cookie" {
      // Of several fields servers read the first alone.
      request.setValue("\(earlier); \(value)", forHTTPHeaderField: header.name)
    } else if header.value == nil || single.contains(name) {
      request.setValue(header.value, forHTTPHeaderField: header.name)
    } else if let value = header.value {
      request.addValue(value, forHTTPHeaderField: header.name)
    }
  }

  /// The names, in lower case, of fields that are taken away, those included that every request has.
  static func omitted(_ headers: [LoadOptions.Header]) -> Set<String> {
    var names: Set<String> = []
    for header in headers {
      if header.value == nil { names.insert(header.name.lowercased()) } else { names.remove(header.name.lowercased()) }
    }
    return names
  }
}
