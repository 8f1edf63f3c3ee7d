import Foundation
internal import URLLoadingCOpenSSL

/// One line of a known_hosts file (sshd(8), "SSH_KNOWN_HOSTS FILE FORMAT").
struct KnownHostsEntry: Hashable, Sendable {
  enum Meaning: Hashable, Sendable {
    case hostKey
    /// The key signs certificates of hosts.
    case certificateAuthority
    case revoked
  }

  enum Names: Hashable, Sendable {
    case patterns(PatternList)
    /// HMAC-SHA1 of one name, with this key.
    case hashed(salt: [UInt8], hash: [UInt8])
  }

  let meaning: Meaning
  let names: Names
  let key: PublicKey
  let place: SourceLine

  /// Reads a line without its end.
  /// - Returns: nil for an empty line or a comment.
  static func read(_ line: ArraySlice<UInt8>, place: SourceLine) throws(Problem) -> KnownHostsEntry? {
    guard !line.contains(0) else { throw Problem("it contains a NUL byte") }
    var fields = line.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: "\r") }[...]
    guard let first = fields.first, first.first != UInt8(ascii: "#") else { return nil }
    var meaning = Meaning.hostKey
    if first.first == UInt8(ascii: "@") {
      switch String(decoding: first, as: UTF8.self) {
      case "@revoked": meaning = .revoked
      case "@cert-authority": meaning = .certificateAuthority
      // An unknown marker may reverse the line's meaning.
      default: throw Problem("its marker is neither @revoked nor @cert-authority")
      }
      fields = fields.dropFirst()
    }
    guard fields.count >= 3 else { throw Problem("it has not the three fields host names, key type and key") }
    let names = try Self.names(fields[fields.startIndex])
    let type = String(decoding: fields[fields.startIndex + 1], as: UTF8.self)
    guard !type.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      throw Problem("it is a key of SSH version 1, which nobody speaks any more")
    }
    guard let blob = Data(base64Encoded: String(decoding: fields[fields.startIndex + 2], as: UTF8.self)) else {
      throw Problem("its key is not base64")
    }
    guard let key = PublicKey(blob: Array(blob)) else { throw Problem("its key is damaged") }
    guard key.type == type else { throw Problem("its key is of another type than the line says") }
    return KnownHostsEntry(meaning: meaning, names: names, key: key, place: place)
  }

  /// Whether the line is for a host, named by ``KnownHosts/name(of:port:)``.
  func matches(_ name: [UInt8]) -> Bool {
    switch names {
    case .patterns(let list): list.matches(name)
    case .hashed(let salt, let hash): Self.hmacSHA1(key: salt, name) == hash
    }
  }

  /// The 20 bytes of HMAC-SHA1; nil where OpenSSL's configuration refuses it.
  private static func hmacSHA1(key: [UInt8], _ message: [UInt8]) -> [UInt8]? {
    var result = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var count: UInt32 = 0
    guard let keyCount = Int32(exactly: key.count),
      HMAC(EVP_sha1(), key, keyCount, message, message.count, &result, &count) != nil
    else { return nil }
    return Array(result.prefix(Int(count)))
  }

  private static func names(_ field: ArraySlice<UInt8>) throws(Problem) -> Names {
    guard field.first == UInt8(ascii: "|") else {
      return .patterns(PatternList(field.split(separator: UInt8(ascii: ","))))
    }
    let parts = field.dropFirst().split(separator: UInt8(ascii: "|"), omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].elementsEqual("1".utf8) else {
      throw Problem("its host name is hashed in an unknown way")
    }
    let decoded = parts[1...].map { Data(base64Encoded: String(decoding: $0, as: UTF8.self)) }
    guard let salt = decoded[0], let hash = decoded[1], !salt.isEmpty, hash.count == 20 else {
      throw Problem("its hashed host name is damaged")
    }
    return .hashed(salt: Array(salt), hash: Array(hash))
  }
}
