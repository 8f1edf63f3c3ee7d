internal import URLLoadingX509

// Safe to share: nothing changes after init.
/// A certificate (RFC 5280). The functions of Apple's Security framework take it, and it says more by itself.
public final class SecCertificate: NSObject, @unchecked Sendable {
  let x509: X509Certificate

  init(_ x509: X509Certificate) { self.x509 = x509 }

  /// Reads a certificate; nil for what is not one.
  /// - Parameter data: in DER.
  public convenience init?(data: Data) {
    guard let read = X509Certificate(der: data) else { return nil }
    self.init(read)
  }

  /// Reads certificates from a text in PEM form, in their order; what else the text has is passed over.
  public static func certificates(pem: Data) -> [SecCertificate] {
    IdentityFile.readCertificates(pem).map { SecCertificate($0) }
  }

  /// The certificate in DER.
  public var data: Data { x509.der }

  /// The whole subject, in the form of RFC 2253, such as `CN=example.org,O=Example`.
  public var subject: String { x509.subject }

  /// The whole issuer, in the same form.
  public var issuer: String { x509.issuer }

  /// What a person would call it: the subject's common name, its organization, or the first DNS name.
  public var summary: String? { x509.summary }

  /// The DNS names that it is for, wildcards as they are there.
  public var dnsNames: [String] { x509.subjectNames.dns }

  /// The addresses that it is for.
  public var addresses: [String] { x509.subjectNames.addresses }

  /// From when on it is valid; nil for a date that cannot be read.
  public var notBefore: Date? { x509.notBefore }

  /// Until when it is valid; nil for a date that cannot be read.
  public var notAfter: Date? { x509.notAfter }

  /// The serial number, its most significant byte first.
  public var serialNumber: Data { x509.serialNumber }

  /// The SHA-256 digest of the certificate: 32 bytes.
  public var fingerprint: Data { x509.fingerprint }

  /// The SHA-256 digest of its SubjectPublicKeyInfo, which is what pins compare (RFC 7469, section 2.4): 32 bytes. Nil for a key that
  /// cannot be read.
  public var publicKeyHash: Data? { x509.publicKey?.pin }

  public override func isEqual(_ object: Any?) -> Bool { (object as? SecCertificate)?.x509 == x509 }

  public override var hash: Int { x509.hashValue }

  /// The subject and the fingerprint.
  public override var description: String {
    "<SecCertificate { subject: \(subject), SHA-256: \(fingerprint.hexadecimal) }>"
  }
}

/// Reads a certificate; nil for what is not one.
/// - Parameters:
///   - allocator: not used.
///   - data: in DER.
public func SecCertificateCreateWithData(_ allocator: CFAllocator?, _ data: CFData) -> SecCertificate? {
  SecCertificate(data: data as Data)
}

/// The certificate in DER.
public func SecCertificateCopyData(_ certificate: SecCertificate) -> CFData { certificate.data as CFData }

/// What a person would call it.
public func SecCertificateCopySubjectSummary(_ certificate: SecCertificate) -> CFString? {
  certificate.summary.map { $0 as CFString }
}

/// The subject's common name.
/// - Returns: `errSecSuccess`; the name is nil where there is none.
@discardableResult
public func SecCertificateCopyCommonName(
  _ certificate: SecCertificate, _ commonName: UnsafeMutablePointer<CFString?>
) -> OSStatus {
  commonName.pointee = certificate.x509.commonName.map { $0 as CFString }
  return errSecSuccess
}

/// The serial number, its most significant byte first.
///
/// `error`: never set.
public func SecCertificateCopySerialNumberData(
  _ certificate: SecCertificate, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
  certificate.serialNumber as CFData
}

/// The key that it is about; nil for one that cannot be read.
public func SecCertificateCopyKey(_ certificate: SecCertificate) -> SecKey? {
  certificate.x509.publicKey.map { SecKey($0) }
}
