/// What a request says of whether it may be repeated.
package struct RetriedRequest: Equatable, Sendable {
  package var method: String
  /// The server knows a repetition by a key (draft-ietf-httpapi-idempotency-key-header).
  package var hasKey: Bool

  package init(method: String, hasKey: Bool = false) {
    (self.method, self.hasKey) = (method, hasKey)
  }

  package init(_ request: borrowing URLRequest) {
    self.init(
      method: request.httpMethod ?? "GET",
      hasKey: request.value(forHTTPHeaderField: "Idempotency-Key")?.isEmpty == false)
  }
}
