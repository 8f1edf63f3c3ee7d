internal import URLLoadingCurlTransport
internal import URLLoadingX509

// Safe to share: nothing changes after init.
/// A certificate with its private key, for servers that request a client certificate.
///
/// It comes from PKCS #12 (``init(pkcs12:passphrase:)``, ``SecPKCS12Import(_:_:_:)``), PEM (``init(pem:passphrase:)``) or a token such as a
/// smart card (``init(pkcs11:pin:)``). It is kept in memory alone, and archives of credentials do not hold it.
public final class SecIdentity: NSObject, @unchecked Sendable {
  let identity: ClientIdentity

  init(_ identity: ClientIdentity) { self.identity = identity }

  /// Reads a PKCS #12 file (RFC 7292), including legacy encryption.
  /// - Throws: ``SecurityError`` with `errSecAuthFailed` for a wrong passphrase, `errSecDecode` for what is no such file, and
  ///   `errSecItemNotFound` for one without a key and its certificate.
  public convenience init(pkcs12 data: Data, passphrase: String) throws {
    let found: ClientIdentity?
    do { found = try IdentityFile.readPKCS12(data, passphrase: passphrase) } catch { throw SecurityError(error) }
    guard let found else {
      throw SecurityError(status: errSecItemNotFound, reason: "The file has no private key with its certificate.")
    }
    self.init(found)
  }

  /// Reads a text in PEM form with a private key, encrypted or not, and its certificate; further certificates are sent along.
  /// - Throws: ``SecurityError`` with `errSecAuthFailed` for a wrong passphrase, and `errSecDecode` for all else.
  public convenience init(pem data: Data, passphrase: String = "") throws {
    do { self.init(try IdentityFile.readPEM(data, passphrase: passphrase)) } catch { throw SecurityError(error) }
  }

  /// Finds an identity in a token, by a PKCS #11 URI (RFC 7512) such as `pkcs11:token=card;object=me`. The key stays there.
  ///
  /// Needs the engine of libp11 (Debian: libengine-pkcs11-openssl). Blocks as long as the token takes; so do the handshakes that use the
  /// identity, on the thread of all transfers.
  /// - Parameters:
  ///   - uri: names certificate and key alike, without `type`.
  ///   - pin: of the token; nil where the URI has it, or there is none.
  /// - Throws: ``SecurityError`` with `errSecItemNotFound`, or `errSecParam` without the engine.
  public convenience init(pkcs11 uri: String, pin: String? = nil) throws {
    do { self.init(try TokenIdentity.read(uri, pin: pin)) } catch { throw SecurityError(error) }
    // The thread of transfers will use the key. OpenSSL has been used by now, as this needs.
    EventLoop.parksAtExit
  }

  /// The certificate.
  public var certificate: SecCertificate { SecCertificate(identity.certificate) }

  /// What is sent along with it.
  public var intermediates: [SecCertificate] { identity.intermediates.map { SecCertificate($0) } }

  /// The certificate's subject.
  public override var description: String { "<SecIdentity { subject: \(identity.certificate.subject) }>" }
}

/// The certificate of an identity.
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecIdentityCopyCertificate(
  _ identity: SecIdentity, _ certificate: UnsafeMutablePointer<SecCertificate?>
) -> OSStatus {
  certificate.pointee = identity.certificate
  return errSecSuccess
}
