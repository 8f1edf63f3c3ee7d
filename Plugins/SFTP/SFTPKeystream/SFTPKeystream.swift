internal import SFTPProtocol
internal import URLLoadingCKeystream

/// Faster encryption for SFTP connections, by a provider in OpenSSL. Off unless a program calls ``enable()``; a program that does not
/// link this product has none of its code.
///
/// libssh2 1.10 passes OpenSSL one block of 16 bytes per call, which costs four times as much per byte as long calls.
/// In counter mode, which these connections negotiate with it, the cipher's output does not depend on the message (NIST SP
/// 800-38A, 6.5): the provider has OpenSSL's own AES make 4 KiB of it at once. Key, counter and result are the same,
/// byte for byte. A download of 1 GiB (aes128-ctr, hmac-sha2-256) takes 15 % less CPU. libssh2 1.11 negotiates counter mode only with servers
/// that have neither AES-GCM nor ChaCha20-Poly1305; nothing else gains.
///
/// What it does to OpenSSL:
/// - It makes one library context (`OSSL_LIB_CTX`, OpenSSL 3.0) with OpenSSL's default provider and the provider
///   `urlloading-keystream`, which has AES-128-CTR, AES-192-CTR and AES-256-CTR. The context stays until the process ends.
/// - The threads of SFTP connections, and no others, use that context by default. The process's default context, its configuration and
///   OpenSSL on other threads, TLS included, are as before.
///
/// Call it once, before the first SFTP load: connections that are open already keep OpenSSL's own cipher.
public enum SFTPKeystream {
  /// Makes all SFTP connections that are opened from now on, in every session, use the provider.
  /// - Returns: false where nothing was changed: OpenSSL is older than 3.0, the process is bound to FIPS 140 or takes its algorithms
  ///   from other than OpenSSL's default provider, or OpenSSL's configuration file (config(5)) sets more than TLS options.
  @discardableResult
  public static func enable() -> Bool {
    guard keystream_is_available() else { return false }
    SSHThreadSetup.set { _ = keystream_use_on_this_thread() }
    return true
  }
}
