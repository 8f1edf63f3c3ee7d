/// The cookies of one attempt's request. What the storage has added belongs to the URL that it was chosen for: a request that is made of
/// this one does not take it along.
struct CookieStage: Equatable, Sendable {
  /// The value of the field that the storage has added; nil where there was none for the request, or it has one of its own.
  private let added: String?

  /// - Parameter added: the value of the field that was added to the request.
  init(added: String? = nil) {
    self.added = added
  }

  /// Takes back what the storage has added. A field that somebody else has set stays.
  func withdraw(from request: inout URLRequest) {
    guard let added, request.value(forHTTPHeaderField: "Cookie") == added else { return }
    request.setValue(nil, forHTTPHeaderField: "Cookie")
  }

  /// Whether the request has the cookies of the storage, or none, and so may get those of another moment.
  func mayRenew(_ request: URLRequest) -> Bool { request.value(forHTTPHeaderField: "Cookie") == added }
}
