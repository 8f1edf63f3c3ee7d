import Foundation

/// URLs of members of archives.
///
/// The canonical form is `archive://<archive URL>/<member path>`; in the archive's URL everything but RFC 3986's unreserved
/// characters is percent-encoded, so that it is the host part. It nests by encoding again, survives normalisation, and no
/// relative reference leads from a member out of its archive.
extension URL {
  /// The URL of a member of an archive.
  /// - Parameters:
  ///   - archive: the archive's URL, which may be that of a member of another archive.
  ///   - member: the member's name, not percent-encoded, such as `a/b.csv`. Empty for the archive's top directory. Segments
  ///     `.` and `..` are kept as names.
  /// - Returns: nil where `archive` has no scheme, or its scheme is `archive` and it is not a valid archive URL.
  public init?(archive: URL, member: String) {
    self.init(archive: archive, memberBytes: Array(member.utf8))
  }

  /// The URL of a member whose name is arbitrary bytes. See `URL.init(archive:member:)`.
  public init?(archive: URL, memberBytes: [UInt8]) {
    var text = archive.absoluteString
    guard ArchiveLayer.scheme(of: text.utf8) != nil else { return nil }
    if ArchiveLayer.isArchiveURL(text.utf8) {
      guard let canonical = try? ArchiveURLText(text).text() else { return nil }
      text = canonical
    }
    self.init(
      string: String(decoding: ArchiveURLText.bytes(archive: text.utf8, member: memberBytes), as: UTF8.self),
      encodingInvalidCharacters: false)
  }

  /// The canonical URL of a member from any of its spellings, as people type them: canonically, or as `archive:URL!/member`,
  /// `jar:URL!/member` or `zip:URL!/member`, where the last `!/` splits, and archives nest as in
  /// `archive:archive:file:///a.tar!/inner.zip!/x`.
  ///
  /// The text is a URL: `%`, `?` and `#` in a member's name are written `%25`, `%3F` and `%23`. Characters that a URL
  /// cannot contain, such as spaces and accented letters, and percent signs that do not begin an escape need no
  /// encoding. A query and a fragment after the member are kept; they do not affect the lookup.
  /// - Throws: ``ArchiveURLError``, which says what is wrong.
  public init(archiveString text: String) throws(ArchiveURLError) {
    let canonical = try ArchiveURLText(text).text()
    guard let url = URL(string: canonical, encodingInvalidCharacters: false) else {
      throw .invalidArchive(text, archive: canonical)
    }
    self = url
  }

  /// The canonical URL of a member of a local archive: what `x.zip!/a` means on a command line.
  ///
  /// The text is taken literally: a path, and a member name after each `!/`. `%`, `?` and `#` are ordinary characters.
  /// A directory whose name ends with `!` cannot be expressed.
  /// - Parameters:
  ///   - text: the path of an archive, `!/`, and the member's name, which may be empty; for nested archives more of these.
  ///   - currentDirectory: what a relative path begins at; a `file` URL.
  /// - Returns: nil if the text has no `!/`, no path before it, or begins with a scheme.
  public init?(archiveShorthand text: String, relativeTo currentDirectory: URL) {
    let beforeSlash = text.utf8.prefix { $0 != UInt8(ascii: "/") }
    guard ArchiveLayer.scheme(of: beforeSlash) == nil else { return nil }
    let parts = text.split(separator: "!/", omittingEmptySubsequences: false)
    guard parts.count > 1, parts.count <= ArchiveURLText.maximumDepth + 1, let path = parts.first, !path.isEmpty else {
      return nil
    }
    var directory = currentDirectory
    if !directory.hasDirectoryPath { directory.append(path: "", directoryHint: .isDirectory) }
    var url = URL(filePath: String(path), directoryHint: .notDirectory, relativeTo: directory).absoluteURL
    for name in parts.dropFirst() {
      guard let member = URL(archive: url, member: String(name)) else { return nil }
      url = member
    }
    self = url
  }

  /// The archive and the member that this URL names, in any form. Nil if it is not a valid archive URL.
  public var archiveMember: ArchiveMember? { (try? ArchiveURLText(absoluteString))?.member }

  /// The nesting depth of archives: 0 for a URL that does not name a member of an archive, 1 for a member of an archive
  /// that is itself loaded by another scheme.
  public var archiveNestingDepth: Int {
    (try? ArchiveURLText(absoluteString))?.layers.count ?? 0
  }
}
