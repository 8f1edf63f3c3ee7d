import Foundation
internal import URLLoadingCOpenSSL

/// A public key as SSH sends it.
struct PublicKey: Sendable, Hashable {
  /// The key in SSH's encoding.
  let blob: [UInt8]
  /// The name at its beginning, such as `ssh-ed25519`.
  let type: String

  /// Nil if the bytes do not begin with the name of a type.
  init?(blob: some Collection<UInt8>) {
    var reader = SSHFieldReader(blob)
    guard blob.count <= 1 << 16, let type = reader.text(), !type.isEmpty, type.utf8.count <= 64,
      type.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
    else { return nil }
    self.blob = Array(blob)
    self.type = type
  }

  /// A line as in `authorized_keys` or a `.pub` file: type, Base64, comment.
  init?(line: String) {
    let fields = line.split(whereSeparator: \.isWhitespace)
    guard fields.count >= 2, let blob = Data(base64Encoded: String(fields[1])), let key = PublicKey(blob: blob),
      key.type == fields[0]
    else { return nil }
    self = key
  }

  /// `SHA256:` and the hash in Base64 without padding, as OpenSSH prints it.
  var fingerprint: String {
    var hash = [UInt8](repeating: 0, count: 32)
    SHA256(blob, blob.count, &hash)
    return "SHA256:" + Data(hash).base64EncodedString().replacingOccurrences(of: "=", with: "")
  }

  /// The blob under the name of the signature's algorithm, which libssh2 takes from there unless it ``LibraryVersion/choosesSignatures``.
  /// OpenSSH accepts such a blob.
  func blob(for algorithm: KeyAlgorithm) -> [UInt8] {
    var reader = SSHFieldReader(blob)
    guard algorithm.rawValue != type, reader.string() != nil else { return blob }
    var writer = SSHFieldWriter()
    writer.string(algorithm.rawValue)
    return writer.bytes + reader.rest
  }
}
