import Foundation
internal import URLLoadingCOpenSSL

/// Reads identities from files: PKCS #12 (RFC 7292) and PEM (RFC 7468).
package enum IdentityFile {
  package enum Failure: Error, Equatable {
    case wrongPassphrase
    /// The bytes are no such file, or a damaged one; in words.
    case damaged(String)
  }

  /// In bytes. Identities take some kilobytes.
  private static let largestFile = 16 << 20
  /// Of the function that derives keys from a passphrase; `openssl` takes 2,048 and Windows 2,000. More only takes time.
  private static let mostIterations = 10_000_000

  // MARK: PKCS #12

  /// The identity of a PKCS #12 file, with the other certificates there; nil where it has no key.
  package static func readPKCS12(_ data: Data, passphrase: String) throws(Failure) -> ClientIdentity? {
    guard data.count <= largestFile else { throw .damaged("it has more than \(largestFile >> 20) MiB") }
    try checkIterations(KeyDerivation.iterations(in: data))
    defer { ERR_clear_error() }
    let file = try open(data, in: nil)
    defer { PKCS12_free(file) }
    let passphrase = try accepted(passphrase, by: file)
    if let found = contents(of: file, passphrase, isForeign: false) { return found.identity }
    // Older programs encrypt with RC2 and triple DES, which OpenSSL 3 has in a provider of its own.
    guard let library = LegacyLibrary.shared else {
      throw .damaged("it is encrypted in a way that OpenSSL does not know")
    }
    let old = try open(data, in: library.pointer)
    defer { PKCS12_free(old) }
    guard let found = contents(of: old, passphrase, isForeign: true) else {
      throw .damaged("it is encrypted in a way that OpenSSL does not know, or damaged")
    }
    return found.identity
  }

  private static func checkIterations(_ count: Int) throws(Failure) {
    guard count <= mostIterations else {
      throw .damaged("it asks for more than \(mostIterations) iterations of a digest")
    }
  }

  private static func open(_ data: Data, in library: OpaquePointer?) throws(Failure) -> OpaquePointer {
    let read = data.withUnsafeBytes { bytes -> OpaquePointer? in
      var position = bytes.bindMemory(to: UInt8.self).baseAddress
      guard position != nil, let file = PKCS12_init_ex(NID_pkcs7_data, library, nil) else { return nil }
      var target: OpaquePointer? = file
      // Frees the object where it fails.
      return d2i_PKCS12(&target, &position, bytes.count)
    }
    guard let read else { throw .damaged("it is no PKCS #12 file") }
    return read
  }

  /// The form of the passphrase that the file's authentication code is right for: some programs tell an empty one from none.
  private static func accepted(_ passphrase: String, by file: OpaquePointer) throws(Failure) -> String? {
    // OpenSSL refuses such a file up to 3.4, and takes it since.
    guard PKCS12_mac_present(file) == 1 else { throw .damaged("it has no code of authentication (MAC)") }
    var iterations: UnsafePointer<ASN1_INTEGER>?
    PKCS12_get0_mac(nil, nil, nil, &iterations, file)
    // -1 for more than fit.
    if let iterations { try checkIterations(ASN1_INTEGER_get(iterations) < 0 ? .max : ASN1_INTEGER_get(iterations)) }
    if PKCS12_verify_mac(file, passphrase, -1) == 1 { return passphrase }
    if passphrase.isEmpty, PKCS12_verify_mac(file, nil, 0) == 1 { return nil }
    throw .wrongPassphrase
  }

  private struct Contents {
    var identity: ClientIdentity?
  }

  /// - Parameter isForeign: the file is of another library context than connections, so that the key has to change it.
  /// - Returns: nil where the file cannot be decrypted.
  private static func contents(of file: OpaquePointer, _ passphrase: String?, isForeign: Bool) -> Contents? {
    var key: OpaquePointer?
    var certificate: OpaquePointer?
    var others: OpaquePointer?
    guard PKCS12_parse(file, passphrase, &key, &certificate, &others) == 1 else { return nil }
    defer {
      X509_free(certificate)
      copenssl_x509_stack_free(others)
    }
    guard let key else { return Contents() }
    let owned = isForeign ? copied(key) : key
    guard let owned, let certificate, let leaf = X509Certificate(retaining: certificate) else {
      if !isForeign { EVP_PKEY_free(key) }
      return Contents()
    }
    return Contents(
      identity: ClientIdentity(leaf, owning: owned, intermediates: TrustEvaluation.certificates(of: others)))
  }

  /// A key of another library context, as one of the default context. Releases the one that is given.
  private static func copied(_ key: OpaquePointer) -> OpaquePointer? {
    defer { EVP_PKEY_free(key) }
    guard var encoded = DER.encoding({ i2d_PrivateKey(key, $0) }) else { return nil }
    defer { encoded.resetBytes(in: 0..<encoded.count) }
    return encoded.withUnsafeBytes { bytes in
      var position = bytes.bindMemory(to: UInt8.self).baseAddress
      return d2i_AutoPrivateKey(nil, &position, bytes.count)
    }
  }

  // MARK: PEM

  /// The identity of a text with a private key and certificates, of which the key's is taken for the identity's.
  package static func readPEM(_ data: Data, passphrase: String) throws(Failure) -> ClientIdentity {
    guard data.count <= largestFile else { throw .damaged("it has more than \(largestFile >> 20) MiB") }
    defer { ERR_clear_error() }
    let certificates = readCertificates(data)
    guard !certificates.isEmpty else { throw .damaged("it has no certificate") }
    try checkIterations(KeyDerivation.iterations(in: encryptedKey(data)))
    guard let key = readKey(data, passphrase: passphrase) else {
      let reason = ERR_GET_REASON(ERR_peek_last_error())
      throw isEncrypted(data) && reason != 0 ? .wrongPassphrase : .damaged("it has no private key that can be read")
    }
    guard let leaf = certificates.first(where: { X509_check_private_key($0.pointer, key) == 1 }) else {
      EVP_PKEY_free(key)
      throw .damaged("none of its certificates is that of its key")
    }
    guard let identity = ClientIdentity(leaf, owning: key, intermediates: certificates.filter { $0 != leaf }) else {
      throw .damaged("its key cannot be used")
    }
    return identity
  }

  /// All certificates of a text in PEM form, in their order.
  package static func readCertificates(_ data: Data) -> [X509Certificate] {
    withBIO(over: data) { input in
      var found: [X509Certificate] = []
      while let next = PEM_read_bio_X509(input, nil, nil, nil) {
        defer { X509_free(next) }
        if let certificate = X509Certificate(retaining: next) { found.append(certificate) }
      }
      ERR_clear_error()
      return found
    } ?? []
  }

  private static func readKey(_ data: Data, passphrase: String) -> OpaquePointer? {
    // A passphrase is always given: without one OpenSSL would ask the terminal.
    var text = Array(passphrase.utf8CString)
    return withBIO(over: data) { PEM_read_bio_PrivateKey($0, nil, nil, &text) } ?? nil
  }

  /// The DER of an encrypted key (RFC 7468, section 11); empty without one.
  private static func encryptedKey(_ data: Data) -> Data {
    guard let start = data.range(of: Data("-----BEGIN ENCRYPTED PRIVATE KEY-----".utf8)),
      let end = data.range(of: Data("-----END".utf8), in: start.upperBound..<data.endIndex)
    else { return Data() }
    return Data(base64Encoded: data[start.upperBound..<end.lowerBound], options: .ignoreUnknownCharacters) ?? Data()
  }

  private static func isEncrypted(_ data: Data) -> Bool {
    data.range(of: Data("ENCRYPTED".utf8)) != nil
  }

  private static func withBIO<Result>(over data: Data, _ body: (OpaquePointer) -> Result) -> Result? {
    data.withUnsafeBytes { bytes in
      guard let input = BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count)) else { return nil }
      defer { BIO_free(input) }
      return body(input)
    }
  }
}
