internal import URLLoadingBase
internal import URLLoadingCurlTransport

/// Where a response has its fields from: given as they are, or still in the head of a transfer.
///
/// Mutable state: `made`, guarded by its lock.
struct HTTPFieldSource: ~Copyable, Sendable {
  private let head: TransferHead?
  private let made: Locked<HTTPFields?>
  /// Whether they came from a server, as they describe the bytes on the wire; not so what somebody else made up.
  let isReceived: Bool

  init(_ fields: HTTPFields, isReceived: Bool = true) {
    self.isReceived = isReceived
    head = nil
    made = Locked(fields)
  }

  init(_ head: consuming TransferHead) {
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

  /// The length of the body, where the head tells it and no coding changes it.
  var knownLength: Int64? { head.flatMap { $0.hasContentEncoding ? nil : $0.contentLength } }

  /// Whether no cookie is set, without a look at the fields.
  var hasNoCookies: Bool { head.map { !$0.hasSetCookie } ?? false }
}
