/// Messages of the agent's protocol (draft-ietf-sshm-ssh-agent), without the length before them.
enum AgentMessage {
  static let largestCount = 256 << 10

  static let listKeys: [UInt8] = [11]

  static func sign(_ data: [UInt8], with key: PublicKey, _ algorithm: KeyAlgorithm) -> [UInt8] {
    var writer = SSHFieldWriter()
    writer.byte(13)
    writer.string(key.blob)
    writer.string(data)
    writer.uint32(algorithm.agentFlag)
    return writer.bytes
  }

  /// The keys in an answer to ``listKeys``; nil if it is not one.
  static func keys(in answer: [UInt8]) -> [PublicKey]? {
    var reader = SSHFieldReader(answer)
    guard reader.byte() == 12, let count = reader.uint32() else { return nil }
    var keys: [PublicKey] = []
    for _ in 0..<min(count, 4096) {
      guard let blob = reader.string(), reader.string() != nil else { return nil }
      if let key = PublicKey(blob: blob) { keys.append(key) }
    }
    return keys
  }

  /// The signature in an answer, without the algorithm's name; nil if it is not one, or by another algorithm.
  static func signature(in answer: [UInt8], _ algorithm: KeyAlgorithm) -> [UInt8]? {
    var reader = SSHFieldReader(answer)
    guard reader.byte() == 14, let signature = reader.string() else { return nil }
    var parts = SSHFieldReader(signature)
    guard parts.text() == algorithm.rawValue, let bytes = parts.string() else { return nil }
    return Array(bytes)
  }
}
