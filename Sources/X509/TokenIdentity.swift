import Foundation
internal import URLLoadingBase
internal import URLLoadingCOpenSSL

/// Identities whose keys stay in a token, such as a smart card: found by PKCS #11 URIs (RFC 7512), through OpenSSL's engine of libp11.
package enum TokenIdentity {
  package enum Failure: Error, Equatable {
    /// The engine is not installed, or cannot be used; in words.
    case noEngine(String)
    /// There is no certificate, or no key, of that URI; in words.
    case notFound(String)
  }

  /// The engine, once it is open. It stays so: its module is loaded once for the process.
  private static let engine = Locked<OpenEngine?>(nil)

  // Safe to share: used under the lock alone.
  private struct OpenEngine: @unchecked Sendable {
    let pointer: OpaquePointer
  }

  /// Blocks as long as the token takes.
  ///
  /// - Parameters:
  ///   - uri: names certificate and key, which have the same label or identifier, without `type`.
  ///   - pin: of the token; nil where the URI has it, or there is none.
  package static func read(_ uri: String, pin: String?) throws(Failure) -> ClientIdentity {
    try engine.withLock { known throws(Failure) in
      defer { ERR_clear_error() }
      let engine: OpenEngine
      if let known { engine = known } else { engine = try open() }
      known = engine
      return try read(uri, pin: pin, from: engine.pointer)
    }
  }

  private static func open() throws(Failure) -> OpenEngine {
    copenssl_load_dynamic_engines()
    guard let engine = ENGINE_by_id("pkcs11") else {
      throw .noEngine("OpenSSL has no engine pkcs11 (Debian: libengine-pkcs11-openssl)")
    }
    guard ENGINE_init(engine) == 1 else {
      ENGINE_free(engine)
      throw .noEngine("the engine pkcs11 cannot be used: \(lastError)")
    }
    return OpenEngine(pointer: engine)
  }

  private static func read(_ uri: String, pin: String?, from engine: OpaquePointer) throws(Failure) -> ClientIdentity {
    if let pin, ENGINE_ctrl_cmd_string(engine, "PIN", pin, 0) != 1 {
      throw .noEngine("the engine pkcs11 takes no PIN: \(lastError)")
    }
    guard let pointer = copenssl_load_token_certificate(engine, uri) else {
      throw .notFound("there is no certificate of \(redacted(uri)): \(lastError)")
    }
    defer { X509_free(pointer) }
    guard let certificate = X509Certificate(retaining: pointer),
      let key = ENGINE_load_private_key(engine, uri, nil, nil)
    else { throw .notFound("there is no private key of \(redacted(uri)), or its PIN is wrong: \(lastError)") }
    guard let identity = ClientIdentity(certificate, owning: key, intermediates: []) else {
      throw .notFound("certificate and private key of \(redacted(uri)) do not belong together")
    }
    return identity
  }

  private static var lastError: String {
    let code = ERR_peek_last_error()
    return ERR_reason_error_string(code).map { String(cString: $0) } ?? "no reason given"
  }

  /// The URI without the PIN that it may have.
  private static func redacted(_ uri: String) -> String {
    uri.split(separator: ";").filter { !$0.contains("pin-value=") }.joined(separator: ";")
  }
}
