import Glibc
internal import URLLoadingCSSH2

/// libssh2's memory, where its own is too small.
///
/// libssh2 1.11 copies the names in the server's `server-sig-algs` (RFC 8308, section 3.1) that it knows to a buffer whose size is that of its
/// own list. A name that the server repeats, as AsyncSSH does, is copied as often, beyond the buffer's end (libssh2's pull request 1885). What
/// it allocates at the beginning of a login by an RSA key therefore has room for all that one packet can name.
enum SSHMemory {
  /// LIBSSH2_PACKET_MAXPAYLOAD, and the zero at the end.
  private static let room = 40_001

  static func makeSession(_ owner: UnsafeMutableRawPointer) -> OpaquePointer? {
    guard LibraryVersion.choosesSignatures else { return libssh2_session_init_ex(nil, nil, nil, owner) }
    return libssh2_session_init_ex(
      { count, context in malloc(SSHSession.from(context)?.beginsKeyLogin == true ? count + SSHMemory.room : count) },
      { memory, _ in free(memory) }, { memory, count, _ in realloc(memory, count) }, owner)
  }
}
