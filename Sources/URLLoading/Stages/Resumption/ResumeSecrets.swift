internal import URLLoadingBase

/// What resume data does not hold: the credentials of interrupted downloads, for as long as this process runs.
///
/// Resume data has a random key in their place. In another process, and when the oldest went to make room, the key leads to nothing.
///
/// Mutable state: `state`, guarded by its lock.
final class ResumeSecrets: Sendable {
  /// The credentials of one download.
  struct Secret: Equatable, Sendable {
    /// The URL that the task was made with, with users and passwords.
    var originalURL: URL
    /// The header fields that are not stored.
    var fields: [ResumeData.Field]
  }

  private struct State {
    var secrets: [String: Secret] = [:]
    /// The keys, the oldest first.
    var keys: [String] = []
  }

  /// Those of this process.
  static let shared = ResumeSecrets()

  private let limit: Int
  private let state = Locked(State())

  /// - Parameter limit: the capacity; the oldest entry is evicted first.
  init(limit: Int = 1000) {
    self.limit = limit
  }

  /// Keeps a secret.
  /// - Returns: 128 random bits, as hexadecimal digits.
  func keep(_ secret: Secret) -> String {
    var random = SystemRandomNumberGenerator()
    let key = (0..<2).map { _ in
      let digits = String(random.next() as UInt64, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
    state.withLock { state in
      if state.keys.count >= limit { state.secrets[state.keys.removeFirst()] = nil }
      state.keys.append(key)
      state.secrets[key] = secret
    }
    return key
  }

  /// The secret of a download; nil when another process kept it, or it went.
  func find(_ key: String) -> Secret? {
    state.withLock { $0.secrets[key] }
  }

  /// What a resumed task lacks of the credentials that it began with, in words; nil if nothing is missing.
  static func missing(fields: [String], user: Bool) -> String? {
    var parts: [String] = []
    if !fields.isEmpty {
      parts.append("the header field\(fields.count > 1 ? "s" : "") \(fields.joined(separator: ", "))")
    }
    if user { parts.append("user and password in the URL") }
    return parts.isEmpty ? nil : parts.joined(separator: " and ")
  }
}
