internal import URLLoadingBase

/// Who says what a response says. Whatever keeps something of a response asks here whether it may, by ``Load/speaker(of:)``.
enum ResponseSpeaker: Equatable {
  /// A proxy, of itself (RFC 9110, sections 9.3.6 and 15.5.8): the delegate and the caller see it, and nothing of it is kept.
  case proxy
  /// A cache: what its responses have was kept when they came.
  case cache
  /// A protocol class other than that of HTTP, or the transfer service: over which connection it came is not known here.
  case instance
  /// The origin; verified where it has shown over TLS that it is the host, by certificates that are trusted.
  case origin(isVerified: Bool)

  /// Whether its cookies are taken. Which of them may be `Secure` the URL decides (RFC 6265bis, section 5.7).
  var setsCookies: Bool { self != .proxy && self != .cache }

  /// Whether it may say that the host is to be reached over secure connections alone (RFC 6797, section 8.1).
  var setsTransportPolicy: Bool { self == .origin(isVerified: true) }

  /// Whether it is a response of the resource, which a cache may store, and which makes others invalid.
  var isOfResource: Bool { self != .proxy }

  /// Whether it shows that a credential was accepted. One for a proxy was, where somebody behind it has answered.
  /// - Parameter status: nil where there is none.
  func accepts(_ space: URLProtectionSpace, status: Int?) -> Bool {
    switch self {
    case .proxy: false
    case .cache, .instance: status != 401 && status != 407
    case .origin: space.isProxy() || status != 401
    }
  }
}

extension Load {
  /// Who says what a response says, of the attempt that runs.
  func speaker(of response: URLResponse) -> ResponseSpeaker {
    let http = response as? HTTPURLResponse
    if http?.speaker == .proxy { return .proxy }
    let (isStored, protocolClass) = storage.withLock { storage in
      storage.whole?.withState { ($0.attempt.cache.isStored, $0.attempt.protocolClass) }
        ?? (false, storage.direct.start?.protocolClass)
    }
    if isStored { return .cache }
    guard protocolClass == HTTPProtocol.self, let http else { return .instance }
    return .origin(isVerified: http.speaker == .verifiedOrigin)
  }
}
