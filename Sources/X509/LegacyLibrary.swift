internal import URLLoadingCOpenSSL

/// A library context of OpenSSL (`OSSL_LIB_CTX`) with its legacy provider, which the program's own context does not get.
// Safe to share: OpenSSL locks its contexts.
final class LegacyLibrary: @unchecked Sendable {
  /// Nil where the system has no legacy provider. Lives as long as the process.
  static let shared = LegacyLibrary()

  let pointer: OpaquePointer

  private init?() {
    guard let library = OSSL_LIB_CTX_new() else { return nil }
    guard OSSL_PROVIDER_load(library, "default") != nil, OSSL_PROVIDER_load(library, "legacy") != nil else {
      OSSL_LIB_CTX_free(library)
      return nil
    }
    pointer = library
  }
}
