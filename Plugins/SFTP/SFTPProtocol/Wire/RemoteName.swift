/// One entry of a directory, or the answer to `realpath` and `readlink`: bytes, since servers promise no encoding.
struct RemoteName: Hashable, Sendable {
  let bytes: [UInt8]
  let attributes: FileAttributes
}
