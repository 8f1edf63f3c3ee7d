import Foundation
internal import URLLoadingCOpenSSL

/// Names of subjects and issuers (RFC 5280, section 4.1.2.4).
package enum DistinguishedName {
  /// A name as text, in the form of RFC 2253.
  static func text(of name: OpaquePointer?) -> String {
    guard let name, let output = BIO_new(BIO_s_mem()) else { return "" }
    defer { BIO_free(output) }
    guard copenssl_print_name(output, name) >= 0 else { return "" }
    var start: UnsafeMutablePointer<CChar>?
    let length = copenssl_bio_contents(output, &start)
    guard length > 0 else { return "" }
    return String(decoding: UnsafeRawBufferPointer(start: start, count: length), as: UTF8.self)
  }

  /// The first entry of one kind, as UTF-8; nil where there is none, and for one with a zero byte.
  static func entry(_ kind: Int32, of name: OpaquePointer?) -> String? {
    let index = X509_NAME_get_index_by_NID(name, kind, -1)
    guard index >= 0, let value = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, index)) else { return nil }
    var bytes: UnsafeMutablePointer<UInt8>?
    let length = ASN1_STRING_to_UTF8(&bytes, value)
    guard length > 0, let bytes else { return nil }
    defer { CRYPTO_free(bytes, #file, #line) }
    let text = UnsafeBufferPointer(start: bytes, count: Int(length))
    return text.contains(0) ? nil : String(decoding: text, as: UTF8.self)
  }
}
