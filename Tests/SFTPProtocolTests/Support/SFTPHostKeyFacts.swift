import SFTPProtocol

/// What a delegate is told of a server's key.
struct SFTPHostKeyFacts: Sendable, Equatable {
  let keyType: String
  let fingerprint: String
  let knownKeys: [String]
  let isChanged: Bool

  init(_ space: SFTPHostKeySpace) {
    keyType = space.keyType
    fingerprint = space.fingerprint
    knownKeys = space.knownKeys
    isChanged = space.isChanged
  }
}
