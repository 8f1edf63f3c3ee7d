import Foundation
import URLLoading

/// Why a text or URL does not name a member of an archive.
@frozen public enum ArchiveURLError: Error, Hashable, Sendable {
  /// The scheme is not `archive`, `jar` or `zip`.
  case otherScheme(String)
  /// No `!/` says where the archive's URL ends.
  case missingSeparator(String)
  /// There is no URL of an archive.
  case missingArchive(String)
  /// The archive is not given as a URL with a scheme.
  case archiveWithoutScheme(String, archive: String)
  /// The archive's URL is not one.
  case invalidArchive(String, archive: String)
  /// The host part has a user, a port, or an escape that is not one: it is not an encoded URL.
  case hostNotEncoded(String)
  /// There are more archives inside one another than any load would open.
  case nestedTooDeep(String, limit: Int)
}

extension ArchiveURLError: CustomStringConvertible, LocalizedError {
  /// What is wrong, in which URL, and what would be right. Without the passwords that the text may hold.
  public var description: String {
    switch self {
    case .otherScheme(let text):
      "'\(Self.shown(text))' is not the URL of an archive's member: that begins with archive:, jar: or zip:"
    case .missingSeparator(let text):
      "'\(Self.shown(text))' does not say where the archive's URL ends: write !/ behind it, once for each archive:, and then the member"
    case .missingArchive(let text):
      "'\(Self.shown(text))' names no archive: its URL stands before !/, or percent-encoded behind archive://"
    case .archiveWithoutScheme(let text, let archive):
      "in '\(Self.shown(text))' the archive '\(Self.shown(archive))' has no scheme: write all of its URL, such as file:///path or https://host/path"
    case .invalidArchive(let text, let archive):
      "in '\(Self.shown(text))' the archive '\(Self.shown(archive))' is not a URL"
    case .hostNotEncoded(let text):
      "in '\(Self.shown(text))' the part behind archive:// is not a percent-encoded URL: write archive:URL!/member"
    case .nestedTooDeep(let text, let limit):
      "'\(Self.shown(text).prefix(80))…' has more than \(limit) archives inside one another"
    }
  }

  private static func shown(_ text: String) -> String { URL.redactedDescription(of: text) }

  /// The same as ``description``.
  public var errorDescription: String? { description }
}
