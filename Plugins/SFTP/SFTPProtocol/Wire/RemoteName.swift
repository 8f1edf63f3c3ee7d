/// A server's name for an open file or directory: at most 256 opaque bytes (draft-ietf-secsh-filexfer-02, section 6.2).
struct RemoteHandle: Hashable, Sendable {
  static let largestCount = 256

  let bytes: [UInt8]
}

/// An entry of a directory, or the answer to `realpath` and `readlink`. Version 3 defines no encoding for the bytes.
struct RemoteName: Hashable, Sendable {
  let bytes: [UInt8]
  let attributes: FileAttributes
}
