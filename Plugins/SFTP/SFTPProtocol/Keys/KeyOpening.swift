/// The result of opening a private key.
enum KeyOpening: Sendable {
  case key(PrivateKey)
  case needsPassphrase
  case wrongPassphrase
  /// Why no passphrase would help, as the end of a sentence.
  case unsupported(String)
}
