import URLLoading

/// A resource with known bytes that wants a login.
struct LoginPlace: Sendable {
  let resource: Resource
  let space: URLProtectionSpace
  let right: URLCredential
  let wrong: URLCredential

  init(_ place: ProtectedResource, _ bytes: Data) {
    resource = Resource(url: place.url, bytes: bytes)
    space = place.protectionSpace
    right = Self.credential(place.credential, .none)
    wrong = Self.credential(place.wrongCredential, .none)
  }

  /// The right credential, kept for the session.
  var kept: URLCredential { Self.credential(right, .forSession) }

  /// The wrong credential, to be kept for the session if it were accepted.
  var wrongToKeep: URLCredential { Self.credential(wrong, .forSession) }

  /// One without a password (an identity, say) is as the fixture gave it.
  private static func credential(
    _ given: URLCredential, _ persistence: URLCredential.Persistence
  ) -> URLCredential {
    guard let user = given.user, given.hasPassword, let password = given.password else { return given }
    return URLCredential(user: user, password: password, persistence: persistence)
  }
}
