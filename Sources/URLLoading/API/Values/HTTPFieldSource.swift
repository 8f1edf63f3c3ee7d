internal import URLLoadingBase
internal import URLLoadingCurlTransport
internal import URLLoadingHTTPSemantics

/// The fields of a response: given, or read from the head of a transfer at the first access.
///
/// Mutable state: `made`, guarded by its lock.
struct HTTPFieldSource: ~Copyable, Sendable {
  private let head: TransferHead?
  private let made: Locked<HTTPFields?>
  /// Whether a server sent them: they then describe the bytes on the wire, before decoding.
  let isReceived: Bool
  /// Who has said it; of fields that were given the origin, which nobody has verified, or a proxy.
  let speaker: Speaker

  init(_ fields: HTTPFields, isReceived: Bool = true, isOfProxy: Bool = false) {
    self.isReceived = isReceived
    speaker = isOfProxy ? .proxy : .origin
    head = nil
    made = Locked(fields)
  }

  init(_ head: consuming TransferHead) {
    speaker = head.speaker
    self.head = consume head
    isReceived = true
    made = Locked(nil)
  }

  var fields: HTTPFields {
    made.withLock { made in
      if let made { return made }
      let fields = HTTPFields(head?.fields ?? [])
      made = fields
      return fields
    }
  }

  /// The length of the body, where the head has it and there is no content coding.
  var knownLength: Int64? { head.flatMap { $0.hasContentEncoding ? nil : $0.contentLength } }

  /// Whether no cache may store the response, without a look at the fields; false where that is not known.
  var forbidsStoring: Bool { head?.forbidsStoring ?? false }

  /// The cookies that are set, each apart. What a program has made, or a store has kept, has no octets any more.
  var setCookies: [OctetText] {
    if let head { return head.setCookies }
    return fields.values(of: "Set-Cookie").map { OctetText($0) }
  }

  /// The first Content-Type field, without a look at the others where they are still bytes.
  var contentType: String? { head?.contentType ?? fields.values(of: "Content-Type").first }

  /// The Alt-Svc fields, without a look at the others where they are still bytes.
  var alternativeServices: [String] { head?.alternativeServices ?? fields.values(of: "Alt-Svc") }

  /// The first Strict-Transport-Security field, without a look at the others where they are still bytes.
  var strictTransportSecurity: String? {
    if let head { return head.strictTransportSecurity }
    return fields.values(of: "Strict-Transport-Security").first
  }
}
