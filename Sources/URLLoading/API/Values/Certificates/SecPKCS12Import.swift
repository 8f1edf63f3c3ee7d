internal import URLLoadingX509

/// The passphrase, in the options of ``SecPKCS12Import(_:_:_:)``.
public var kSecImportExportPassphrase: CFString { "passphrase" }
/// The identity, a ``SecIdentity``, in what ``SecPKCS12Import(_:_:_:)`` finds.
public var kSecImportItemIdentity: CFString { "identity" }
/// The certificates of the file, a list of ``SecCertificate`` that begins with the identity's.
public var kSecImportItemCertChain: CFString { "chain" }
/// The chain as a ``SecTrust``.
public var kSecImportItemTrust: CFString { "trust" }
/// What a person would call the identity.
public var kSecImportItemLabel: CFString { "label" }

/// Reads the identity of a PKCS #12 file.
///
/// - Parameters:
///   - data: the file.
///   - options: has the passphrase for `kSecImportExportPassphrase`.
///   - items: gets a list of one table, whose keys are the constants above.
/// - Returns: `errSecSuccess`, also for a file without an identity, whose list is empty; `errSecPassphraseRequired` without a passphrase
///   in the options, `errSecAuthFailed` for a wrong one, `errSecDecode` for what is no such file.
@discardableResult
public func SecPKCS12Import(
  _ data: CFData, _ options: CFDictionary, _ items: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
  let passphrase = (options.object(forKey: kSecImportExportPassphrase) as? String)
  guard let passphrase else { return errSecPassphraseRequired }
  let found: ClientIdentity?
  do {
    found = try IdentityFile.readPKCS12(data as Data, passphrase: passphrase)
  } catch .wrongPassphrase {
    return errSecAuthFailed
  } catch {
    return errSecDecode
  }
  guard let found else {
    items.pointee = [] as CFArray
    return errSecSuccess
  }
  let chain = [SecCertificate(found.certificate)] + found.intermediates.map { SecCertificate($0) }
  var item: [String: Any] = [
    kSecImportItemIdentity as String: SecIdentity(found),
    kSecImportItemCertChain as String: chain,
    kSecImportItemTrust as String: SecTrust(certificates: chain, policies: [SecPolicyCreateBasicX509()]),
  ]
  if let name = found.certificate.summary { item[kSecImportItemLabel as String] = name }
  items.pointee = [item] as CFArray
  return errSecSuccess
}
