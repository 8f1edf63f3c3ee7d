/// What an attempt has to know of the one before it: that is not copied, with all that it refers to.
struct EarlierAttempt: Sendable {
  let url: URL?
  let protocolClass: URLProtocol.Type?

  init(_ attempt: borrowing Attempt) {
    (url, protocolClass) = (attempt.request?.url, attempt.protocolClass)
  }
}
