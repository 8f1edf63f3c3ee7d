internal import URLLoadingHTTPSemantics

/// The head of a stored response, as the rules see it: the answer to a GET.
///
/// The body is stored as the program gets it: decoded, where the response has a content coding. The fields still name the coding, and
/// `Content-Length` counts coded bytes then. Such a body is never cut, since ranges count coded bytes as well.
struct StoredHead: Sendable, Equatable {
  var statusCode: Int
  var fields: HTTPFields
  /// When the request was sent (RFC 9111, section 4.2.3).
  var requestDate: Date
  /// When the response came.
  var responseDate: Date
  /// The request fields that `Vary` names, by the request that was answered (section 4.1), and `Authorization` where the response is of
  /// one user (``CacheRules/storage(of:to:requestDate:responseDate:)``).
  var selectingFields: [SelectingField] = []
  /// Which part of the representation the body holds; nil: all of it (sections 3.3 and 3.4).
  var part: ContentRange?
  /// The bytes that are stored.
  var bodyLength: Int64 = 0

  var directives: CacheDirectives { CacheDirectives(fields) }

  /// When the response was made, by the sender's clock, or else when it came (RFC 9110, section 6.6.1).
  var date: Date {
    fields.single("Date").agreed.flatMap { HTTPDate.date(from: $0, now: responseDate) } ?? responseDate
  }

  var validators: ResourceValidators { ResourceValidators(fields, now: responseDate) }

  /// Whether the body was decoded when it was stored.
  var isCoded: Bool { fields["Content-Encoding"].map(HTTPFields.isCoded) ?? false }

  /// Whether the fields that chose the response are the same in a request as in the one that was answered (RFC 9111, section 4.1).
  func matches(_ request: CacheRequest) -> Bool {
    guard case .fields(let names) = VaryNames(fields) else { return false }
    return names.allSatisfy { name in selectingFields.contains { $0.name == name } }
      && selectingFields.allSatisfy { $0 == SelectingField($0.name, in: request.fields) }
  }

  /// Whether the length of the body is known to be right, and not only that a connection ended (RFC 8246, section 3).
  var isFramed: Bool { fields.contains("Content-Length") || fields.contains("Transfer-Encoding") }
}
