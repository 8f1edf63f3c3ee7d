/// The ways to load a request that behaviour must not depend on.
enum LoadKind: String, CaseIterable, Sendable {
  /// `data(for:)`.
  case async
  /// A data task whose body goes to the session's delegate.
  case delegate
  /// A download task of the session's delegate.
  case download
}
