import Glibc
internal import URLLoadingCCurl

/// Reads the parameters of a TLS connection from the library that libcurl uses, if that is OpenSSL.
///
/// The functions are looked up among what the process has loaded: this package does not link libssl.
struct TLSInspector: Sendable {
  static let shared = TLSInspector()

  private typealias Version = @convention(c) (UnsafeRawPointer) -> Int32
  private typealias CurrentCipher = @convention(c) (UnsafeRawPointer) -> UnsafeRawPointer?
  private typealias CipherNumber = @convention(c) (UnsafeRawPointer) -> UInt16
  private typealias SelectedProtocol =
    @convention(c) (UnsafeRawPointer, UnsafeMutablePointer<UnsafePointer<UInt8>?>, UnsafeMutablePointer<UInt32>) -> Void

  private typealias WritingEnd = @convention(c) (UnsafeRawPointer) -> UnsafeRawPointer?
  private typealias WrittenCount = @convention(c) (UnsafeRawPointer) -> UInt64

  private let version: Version?
  private let currentCipher: CurrentCipher?
  private let cipherNumber: CipherNumber?
  private let selectedProtocol: SelectedProtocol?
  private let writingEnd: WritingEnd?
  private let writtenCount: WrittenCount?

  private init() {
    version = dlsym(nil, "SSL_version").map { unsafeBitCast($0, to: Version.self) }
    currentCipher = dlsym(nil, "SSL_get_current_cipher").map { unsafeBitCast($0, to: CurrentCipher.self) }
    cipherNumber = dlsym(nil, "SSL_CIPHER_get_protocol_id").map { unsafeBitCast($0, to: CipherNumber.self) }
    selectedProtocol = dlsym(nil, "SSL_get0_alpn_selected").map { unsafeBitCast($0, to: SelectedProtocol.self) }
    writingEnd = dlsym(nil, "SSL_get_wbio").map { unsafeBitCast($0, to: WritingEnd.self) }
    writtenCount = dlsym(nil, "BIO_number_written").map { unsafeBitCast($0, to: WrittenCount.self) }
  }

  /// The session of a transfer's connection; nil when that is not OpenSSL's. To be asked while the transfer has its connection, which
  /// the session lives as long as.
  func session(of curl: UnsafeMutableRawPointer) -> UnsafeRawPointer? {
    var backend = CURLSSLBACKEND_NONE
    guard let session = ccurl_get_tls_session(curl, &backend), backend == CURLSSLBACKEND_OPENSSL else { return nil }
    return UnsafeRawPointer(session)
  }

  /// How many bytes were written to a session's connection, as they went to the network; nil when that cannot be known.
  func writtenBytes(_ session: UnsafeRawPointer) -> UInt64? {
    guard let writingEnd, let writtenCount, let end = writingEnd(session) else { return nil }
    return writtenCount(end)
  }

  /// The protocol that both sides agreed on (RFC 7301); empty for none, nil when that cannot be known. To be asked while the
  /// transfer has its connection.
  func protocolName(of curl: UnsafeMutableRawPointer) -> String? {
    guard let selectedProtocol, let session = session(of: curl) else { return nil }
    var name: UnsafePointer<UInt8>?
    var length: UInt32 = 0
    selectedProtocol(session, &name, &length)
    return String(decoding: UnsafeBufferPointer(start: name, count: Int(length)), as: UTF8.self)
  }

  /// The version and the cipher suite, as on the wire. To be asked while the transfer has its connection.
  func parameters(of curl: UnsafeMutableRawPointer) -> (version: UInt16?, cipherSuite: UInt16?) {
    guard let version, let currentCipher, let cipherNumber, let session = session(of: curl) else { return (nil, nil) }
    let number = version(session)
    return (number > 0 ? UInt16(truncatingIfNeeded: number) : nil, currentCipher(session).map { cipherNumber($0) })
  }
}
