/// A server's name for a file or directory that is open: at most 256 bytes that mean nothing here
/// (draft-ietf-secsh-filexfer-02, section 6.2).
struct RemoteHandle: Hashable, Sendable {
  static let largestCount = 256

  let bytes: [UInt8]
}
