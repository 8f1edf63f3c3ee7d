import Foundation
import Testing
import URLLoadingHTTPSemantics

@testable import URLLoading

/// What RFC 9111 asks of a cache, each test named by the section that it is about.
enum CachingRules {
  /// What the source's clock says when it answers, and ours.
  static let date = Date(timeIntervalSince1970: 1_700_000_000)
  static let dateField = "Tue, 14 Nov 2023 22:13:20 GMT"
  static let dayBefore = "Mon, 13 Nov 2023 22:13:20 GMT"
  static let hourAfter = "Tue, 14 Nov 2023 23:13:20 GMT"
  static let url = "https://example.org/a/b" as URL

  static func request(
    _ fields: HTTPFields = [:], method: String = "GET", policy: NSURLRequest.CachePolicy = .useProtocolCachePolicy,
    url: URL = url
  ) -> CacheRequest {
    CacheRequest(method: method, url: url, fields: fields, policy: policy)
  }

  static func response(_ fields: HTTPFields, status: Int = 200) -> CacheResponse {
    CacheResponse(statusCode: status, fields: fields, url: url)
  }

  /// What becomes of an answer that came as soon as it was asked for.
  static func storage(
    _ fields: HTTPFields, status: Int = 200, to request: CacheRequest = request(), in kind: CacheRules.Kind = .private
  ) -> CacheStorage {
    CacheRules(kind: kind).storage(
      of: response(fields, status: status), to: request, requestDate: date, responseDate: date)
  }

  /// Such an answer as it is stored, with a body of 100 bytes.
  static func stored(
    _ fields: HTTPFields, status: Int = 200, to request: CacheRequest = request(), in kind: CacheRules.Kind = .private,
    _ location: SourceLocation = #_sourceLocation
  ) throws -> StoredHead {
    guard case .store(var head) = storage(fields, status: status, to: request, in: kind) else {
      Issue.record("\(fields.fields) is not stored", sourceLocation: location)
      throw URLError(.unknown)
    }
    head.bodyLength = head.part?.length ?? 100
    return head
  }

  /// What answers a request so many seconds after.
  static func lookup(
    _ stored: [StoredHead], after seconds: TimeInterval = 0, _ request: CacheRequest = request(),
    in kind: CacheRules.Kind = .private
  ) -> CacheLookup {
    CacheRules(kind: kind).lookup(request, among: stored, at: date + seconds)
  }

  /// The same where one response is stored.
  static func reason(
    _ fields: HTTPFields, status: Int = 200, after seconds: TimeInterval, _ request: CacheRequest = request(),
    in kind: CacheRules.Kind = .private, _ location: SourceLocation = #_sourceLocation
  ) throws -> CacheReason {
    lookup([try stored(fields, status: status, in: kind, location)], after: seconds, request, in: kind).reason
  }
}

extension HTTPFields: ExpressibleByDictionaryLiteral {
  /// Fields in their order; names may be repeated.
  public init(dictionaryLiteral fields: (String, String)...) {
    self.init(fields.map { (name: $0.0, value: $0.1) })
  }

  func with(_ name: String, _ value: String) -> HTTPFields {
    HTTPFields(fields + [(name, value)])
  }
}

extension CacheStorage {
  var refusal: CacheRefusal? { if case .refuse(let refusal) = self { refusal } else { nil } }
  var head: StoredHead? { if case .store(let head) = self { head } else { nil } }
}

extension CacheLookup {
  /// What a validation asks.
  var conditions: ConditionalFields? {
    switch self {
    case .validate(_, let conditions, staleIfError: _, _), .answerAndRevalidate(_, let conditions, _): conditions
    default: nil
    }
  }
}
