/// The credentials of one attempt: which one answered the last challenge, and whether one is sent.
struct CredentialStage: Sendable {
  /// Answered the last challenge, and is to be stored if the next response accepts it.
  private var answer: (space: URLProtectionSpace, credential: URLCredential)?
  /// Whether a credential is sent that the request does not show.
  private(set) var isAuthorized = false

  /// Whether the next response says if a credential was accepted.
  var awaitsAcceptance: Bool { answer != nil }

  /// A challenge was answered.
  /// - Parameter credential: what answers it; nil where that is nothing, or is not kept (``ChallengeRules/keeps(_:)``).
  mutating func answered(_ space: URLProtectionSpace, with credential: URLCredential?) {
    answer = credential.map { (space, $0) }
  }

  /// The instance sends a credential by which the origin knows the user.
  mutating func authorized() { isAuthorized = true }

  /// A response was received, and says whether the credential was accepted.
  /// - Returns: what was sent; nil where nothing was, or an earlier response has said so.
  mutating func takeAnswer() -> (space: URLProtectionSpace, credential: URLCredential)? { answer.take() }
}
