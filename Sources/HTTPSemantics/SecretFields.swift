/// Which header fields may hold credentials.
package enum SecretFields {
  /// What a name says, in lower case, whose value is a secret: `Authorization`, `X-Api-Key`, `Private-Token`, `X-Amz-Signature`.
  private static let words = [
    "auth", "cookie", "credential", "jwt", "key", "pass", "secret", "session", "signature", "token",
  ]

  /// Whether the value of a field of this name may be a credential. There is no list of such fields, so the name decides; one too
  /// many does little harm.
  package static func contains(_ name: String) -> Bool {
    let name = name.lowercased()
    return words.contains { name.contains($0) }
  }
}
