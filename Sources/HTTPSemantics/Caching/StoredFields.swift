import Foundation
internal import URLLoadingBase

/// The fields of a response as they are stored (RFC 9111, section 3.1): all, but those of the connection, those that belong to the proxy,
/// and those that may not be stored.
package struct StoredFields {
  package private(set) var fields: HTTPFields

  /// - Parameter withheld: names, in lower case, that directives of the response exclude.
  package init(_ received: HTTPFields, withheld: Set<String>, responseDate: Date) {
    var excluded = Self.connectionFields.union(Self.options(received)).union(withheld)
    // A transfer coding overrides a length, which is then an error or an attack (RFC 9112, section 6.3).
    if received.contains("Transfer-Encoding") { excluded.insert("content-length") }
    fields = HTTPFields(received.fields.filter { !excluded.contains($0.name.lowercased()) })
    // A date is recorded where there is none that can be read (RFC 9110, section 6.6.1). Several that differ stay: they make it stale.
    let date = fields.single("Date")
    if !date.isConflict, date.agreed.flatMap({ HTTPDate.date(from: $0, now: responseDate) }) == nil {
      fields["Date"] = HTTPDate.string(from: responseDate)
    }
  }

  /// Replaces fields by those of a newer message (section 3.2): all, but those that describe the bytes that came with it, and those of
  /// `kept`. An age is that of the message itself.
  package mutating func update(from newer: StoredFields, keeping kept: Set<String> = []) {
    fields["Age"] = nil
    var updated: Set<String> = []
    for (name, _) in newer.fields.fields {
      let folded = name.lowercased()
      guard !Self.fieldsOfBytes.contains(folded), !kept.contains(folded), updated.insert(folded).inserted else {
        continue
      }
      fields.replace(name, by: newer.fields.values(of: name))
    }
  }

  package init(stored: HTTPFields) {
    fields = stored
  }

  /// RFC 9110, section 7.6.1, and those that RFC 9111, section 3.1, names. `Transfer-Encoding` stays until an answer is made: it says
  /// that the length of the body was known to be right.
  private static let connectionFields: Set<String> = [
    "connection", "keep-alive", "proxy-connection", "te", "upgrade",
    "proxy-authenticate", "proxy-authentication-info", "proxy-authorization",
  ]

  /// What describes the bytes of one message, which a newer head does not change.
  private static let fieldsOfBytes: Set<String> = [
    "content-length", "content-encoding", "content-range", "transfer-encoding", "trailer",
  ]

  /// Fields that are for all recipients, so that naming them as options of a connection is an error (RFC 9110, section 7.6.1): the rules
  /// would not hold without them.
  static let endToEndFields: Set<String> = [
    "cache-control", "vary", "date", "age", "expires", "etag", "last-modified", "content-type", "content-encoding",
    "content-length", "content-range", "transfer-encoding",
  ]

  private static func options(_ fields: HTTPFields) -> Set<String> {
    let names = (fields["Connection"] ?? "").split(separator: ",").map { $0.trimmingFieldWhitespace.lowercased() }
    return Set(names).subtracting(endToEndFields)
  }
}
