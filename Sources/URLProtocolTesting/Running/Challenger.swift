import URLLoading

/// The server or proxy that a challenge is from, whatever the realm and the method: a load may log in to several on its way.
struct Challenger: Hashable, Sendable {
  private let host: String
  private let port: Int
  private let isProxy: Bool

  init(_ space: URLProtectionSpace) {
    (host, port, isProxy) = (space.host, space.port, space.isProxy())
  }
}
