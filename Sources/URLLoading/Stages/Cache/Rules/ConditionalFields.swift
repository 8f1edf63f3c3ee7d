internal import URLLoadingBase
internal import URLLoadingHTTPSemantics

/// The fields that make a request ask whether stored responses are still right (RFC 9111, section 4.3.1). There may be none: a response
/// without validators can only be replaced.
struct ConditionalFields: Sendable, Equatable {
  var ifNoneMatch: String?
  var ifModifiedSince: String?

  /// To be set on the request.
  var fields: [(name: String, value: String)] {
    [("If-None-Match", ifNoneMatch), ("If-Modified-Since", ifModifiedSince)].compactMap { name, value in
      value.map { (name, $0) }
    }
  }

  /// For one response: both validators, so that old intermediaries understand one of them; the date not for a part.
  init(_ head: StoredHead, forPart: Bool) {
    ifNoneMatch = EntityTag.field(of: head.fields)
    if !forPart {
      // As it was received (RFC 9110, section 13.1.3). What is not ASCII is no date, and would be sent as other octets.
      let date = head.fields.single("Last-Modified").agreed.map { String($0.trimmingFieldWhitespace) }
      ifModifiedSince = date.flatMap { !$0.isEmpty && $0.utf8.allSatisfy { $0 < 0x80 } ? $0 : nil }
    }
  }

  /// For any of several: their entity tags.
  init(anyOf tags: [String]) {
    var list: [String] = []
    for tag in tags where !list.contains(tag) { list.append(tag) }
    ifNoneMatch = list.isEmpty ? nil : list.joined(separator: ", ")
  }
}
