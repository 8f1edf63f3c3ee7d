import URLLoading

/// The certificate and key with which a server is logged in to, as `-E`, `--key` and `--pass` name them.
struct ClientCertificate {
  private let name: String
  private let isPKCS12: Bool
  private let key: String?
  private let passphrase: String

  init(_ text: String, type: String?, key: String?, passphrase: String?) throws(Failure) {
    var name = text
    var phrase = passphrase
    // A colon in a path is written with a backslash, as for curl.
    if !text.hasPrefix("pkcs11:"), phrase == nil, access(text, F_OK) != 0,
      let colon = text.indices.first(where: {
        text[$0] == ":" && ($0 == text.startIndex || text[text.index(before: $0)] != "\\")
      })
    {
      name = String(text[..<colon])
      phrase = String(text[text.index(after: colon)...])
    }
    self.name = name.hasPrefix("pkcs11:") ? name : name.replacing("\\:", with: ":")
    self.key = key
    self.passphrase = phrase ?? ""
    switch type?.uppercased() {
    case nil: isPKCS12 = [".p12", ".pfx"].contains { name.lowercased().hasSuffix($0) }
    case "PEM"?, "ENG"?: isPKCS12 = false
    case "P12"?: isPKCS12 = true
    case let other?:
      throw Failure(.usage, "--cert-type \(SafeText.escaped(other)) is not read", advice: "give PEM or P12")
    }
  }

  func identity() throws(Failure) -> SecIdentity {
    do {
      if name.hasPrefix("pkcs11:") { return try SecIdentity(pkcs11: name, pin: passphrase.isEmpty ? nil : passphrase) }
      let content = try LocalInput.content(of: name)
      if isPKCS12 { return try SecIdentity(pkcs12: content, passphrase: passphrase) }
      let keyText = try key.map { try LocalInput.content(of: $0) } ?? Data()
      return try SecIdentity(pem: keyText + Data("\n".utf8) + content, passphrase: passphrase)
    } catch let failure as Failure {
      throw failure
    } catch {
      let reason = (error as? SecurityError)?.localizedDescription ?? "\(error)"
      throw Failure(
        .localFile, "the client certificate cannot be used (\(SafeText.sentence(reason)))", name,
        advice: "check -E, --key and --pass")
    }
  }
}
