import Foundation
internal import URLLoadingCOpenSSL

/// Roots as they were read: one of OpenSSL's stores, which nobody changes.
// Safe to share: OpenSSL locks its stores, and counts references atomically.
package final class RootStore: @unchecked Sendable {
  let pointer: OpaquePointer
  /// What could not be read; nil where all was.
  let unreadable: String?
  /// Equal for stores of equal contents, in this process.
  package let mark: UInt64

  /// - Parameter folders: a number for what is in the folders, of which a certificate is read when it is needed.
  init(owning pointer: OpaquePointer, folders: Int, unreadable: String?) {
    self.pointer = pointer
    self.unreadable = unreadable
    mark = Self.mark(of: pointer, folders)
    // The slot 0 is that of programs (`X509_STORE_set_app_data`).
    X509_STORE_set_ex_data(pointer, 0, UnsafeMutableRawPointer(bitPattern: UInt(mark)))
  }

  deinit { X509_STORE_free(pointer) }

  private static func mark(of store: OpaquePointer, _ folders: Int) -> UInt64 {
    var digests = withUnsafeBytes(of: folders) { Data($0) }
    var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    let objects = X509_STORE_get0_objects(store)
    for index in 0..<copenssl_object_count(objects) {
      guard let certificate = copenssl_object_certificate(objects, index) else { continue }
      var length: UInt32 = 0
      guard X509_digest(certificate, EVP_sha256(), &digest, &length) == 1 else { continue }
      digests.append(contentsOf: digest[..<Int(length)])
    }
    return Digest.sha256(digests).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Has the connections of a context verified by these roots, and resume no TLS session of a handshake with others: what was trusted by
  /// a root that is gone is not trusted any longer.
  ///
  /// - Parameter context: OpenSSL's `SSL_CTX`, before there is a connection.
  /// - Returns: false without memory.
  package func verify(connectionsOf context: OpaquePointer) -> Bool {
    guard copenssl_ctx_set_roots(context, pointer) == 1 else { return false }
    // Every session of this context has it, also where libcurl keeps it in DER. OpenSSL resumes none of another context, but fails.
    guard withUnsafeBytes(of: mark, { SSL_CTX_set_session_id_context(context, $0.baseAddress, UInt32($0.count)) }) == 1
    else { return false }
    SSL_CTX_set_info_callback(context) { session, event, _ in
      guard event & SSL_CB_HANDSHAKE_START != 0, let session else { return }
      RootStore.forgetSession(ofOthersIn: session)
    }
    return true
  }

  /// A handshake begins: what libcurl has found to resume may be of other roots, for it knows a session by its host alone.
  private static func forgetSession(ofOthersIn connection: OpaquePointer) {
    guard let session = SSL_get_session(connection), let store = copenssl_roots(connection) else { return }
    let mark = UInt64(UInt(bitPattern: X509_STORE_get_ex_data(store, 0)))
    var length: UInt32 = 0
    let start = SSL_SESSION_get0_id_context(session, &length)
    let bytes = UnsafeRawBufferPointer(start: start, count: Int(length))
    let isOfThese = withUnsafeBytes(of: mark) { bytes.elementsEqual($0) }
    if !isOfThese { SSL_set_session(connection, nil) }
  }
}
