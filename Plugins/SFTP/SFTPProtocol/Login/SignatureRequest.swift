/// A signature that libssh2 asks for, and that a key or an agent makes.
enum SignatureRequest {
  case none
  /// The bytes to sign.
  case wanted([UInt8])
  case underWay
  /// The signature, without the algorithm's name.
  case signed([UInt8])
  case refused

  /// The algorithm that the bytes to sign name (RFC 4252, section 7). libssh2 may choose another than it was given.
  static func algorithm(in data: [UInt8]) -> KeyAlgorithm? {
    var reader = SSHFieldReader(data)
    // Session, SSH_MSG_USERAUTH_REQUEST, user, service, "publickey", true
    guard reader.string() != nil, reader.byte() == 50, reader.string() != nil, reader.string() != nil,
      reader.text() == "publickey", reader.byte() != nil, let name = reader.text()
    else { return nil }
    return KeyAlgorithm(rawValue: name)
  }
}
