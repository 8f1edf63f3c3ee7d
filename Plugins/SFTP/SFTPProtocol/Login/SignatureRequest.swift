/// A signature that a server wants: asked for by libssh2, made by a key or an agent, which may take its time.
struct SignatureRequest {
  enum State {
    case none
    /// The bytes to sign.
    case wanted([UInt8])
    /// The signature, without the algorithm's name.
    case signed([UInt8])
    case refused
  }

  var state: State

  init(_ state: State = .none) {
    self.state = state
  }

  /// The algorithm that the bytes to sign name (RFC 4252, section 7). libssh2 may have chosen another than it was given.
  static func algorithm(in data: [UInt8]) -> KeyAlgorithm? {
    var reader = SSHFieldReader(data)
    // Session, SSH_MSG_USERAUTH_REQUEST, user, service, "publickey", true
    guard reader.string() != nil, reader.byte() == 50, reader.string() != nil, reader.string() != nil,
      reader.text() == "publickey", reader.byte() != nil, let name = reader.text()
    else { return nil }
    return KeyAlgorithm(rawValue: name)
  }
}
