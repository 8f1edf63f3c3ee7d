import Foundation

/// The public key of a server, in the form in which it is sent (RFC 4253, section 6.6).
struct HostKey: Hashable, Sendable {
  let blob: [UInt8]
  /// Such as `ssh-ed25519`.
  let type: String

  /// Takes the bytes of a key; nil where they do not begin with the name of a type.
  init?(blob: [UInt8]) {
    let type = blob.withUnsafeBytes { bytes -> String? in
      var reader = PacketReader(bytes)
      guard let name = try? reader.string(), (1...64).contains(name.count), reader.remainingCount > 0,
        name.allSatisfy({ (0x21..<0x7F).contains($0) })
      else { return nil }
      return String(decoding: name, as: UTF8.self)
    }
    guard let type else { return nil }
    self.blob = blob
    self.type = type
  }

  /// As OpenSSH prints it: `SHA256:` and base64 without padding.
  var fingerprint: String {
    "SHA256:" + Data(Digest.sha256(blob)).base64EncodedString().trimmingCharacters(in: ["="])
  }
}
