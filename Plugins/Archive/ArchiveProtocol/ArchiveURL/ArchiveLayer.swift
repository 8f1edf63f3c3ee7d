internal import URLLoadingBase

/// An archive URL, in any spelling, with its outermost archive taken off.
///
/// The spellings are
/// - the canonical one, `archive://<archive URL, percent-encoded>/<member>`;
/// - `archive:URL!/member`, and the same with `jar:` and `zip:`; the last `!/` splits;
/// - what Foundation makes of these: `URL(string:)` percent-encodes all of a path, `%` and the scheme's colon too, when the path has
///   a character that a URL may not have; `standardized` puts `//` after the first colon.
struct ArchiveLayer {
  /// The archive's URL, in any spelling.
  var archive: [UInt8]
  /// The member's name. Segments that were `.` or `..` are gone, as RFC 3986, section 5.2.4, resolves them; those that were
  /// written `%2E` are part of the name.
  var member: [UInt8]
  /// The query and the fragment, with their delimiters.
  var suffix: [UInt8]

  /// The scheme of a URL as bytes, in lower case (RFC 3986, section 3.1).
  static func scheme(of text: some Collection<UInt8>) -> String? {
    guard let colon = text.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    let scheme = text[..<colon]
    guard let first = scheme.first, isLetter(first) else { return nil }
    let isValid = scheme.allSatisfy { byte in
      isLetter(byte) || (0x30...0x39).contains(byte) || "+-.".utf8.contains(byte)
    }
    return isValid ? String(decoding: scheme, as: UTF8.self).lowercased() : nil
  }

  /// Whether a URL is one of an archive's member, by its scheme.
  static func isArchiveURL(_ text: some Collection<UInt8>) -> Bool {
    scheme(of: text).map(ArchiveProtocol.capabilities.schemes.contains) ?? false
  }

  init(_ text: [UInt8]) throws(ArchiveURLError) {
    guard let scheme = Self.scheme(of: text), ArchiveProtocol.capabilities.schemes.contains(scheme) else {
      throw .otherScheme(Self.string(text))
    }
    let rest = text.dropFirst(scheme.utf8.count + 1)
    let isHierarchical = rest.starts(with: "//".utf8)
    let hierarchical = rest.dropFirst(2)
    let authority = hierarchical.prefix { !"/?#".utf8.contains($0) }
    // A host that is schemes alone comes from `standardized`; the canonical form has no `!` in its host.
    let isStandardized =
      isHierarchical && Self.isSchemes(PercentEncoding.decoded(authority)) && Self.lastSeparator(in: Array(rest)) != nil
    if isHierarchical, !isStandardized, scheme == "archive" {
      try self.init(authority: authority, rest: hierarchical[authority.endIndex...], of: text)
    } else {
      try self.init(spelled: isStandardized ? hierarchical : rest, of: text)
    }
  }

  private init(authority: ArraySlice<UInt8>, rest: ArraySlice<UInt8>, of text: [UInt8]) throws(ArchiveURLError) {
    guard !authority.isEmpty else { throw .missingArchive(Self.string(text)) }
    guard !authority.contains(where: { "@:".utf8.contains($0) }) else { throw .hostNotEncoded(Self.string(text)) }
    archive = PercentEncoding.decoded(authority)
    guard Self.scheme(of: archive) != nil else { throw .hostNotEncoded(Self.string(text)) }
    let path = rest.prefix { !"?#".utf8.contains($0) }
    member = Self.memberName(path.dropFirst())
    suffix = PercentEncoding.repaired(rest[path.endIndex...])
  }

  private init(spelled given: ArraySlice<UInt8>, of text: [UInt8]) throws(ArchiveURLError) {
    let rest = Self.withoutFoundationsEncoding(given)
    guard let separator = Self.lastSeparator(in: rest) else { throw .missingSeparator(Self.string(text)) }
    archive = Array(rest[..<separator])
    guard !archive.isEmpty else { throw .missingArchive(Self.string(text)) }
    guard Self.scheme(of: archive) != nil else {
      throw .archiveWithoutScheme(Self.string(text), archive: Self.string(archive))
    }
    let behind = rest[(separator + 2)...]
    let path = behind.prefix { !"?#".utf8.contains($0) }
    member = Self.memberName(path)
    suffix = PercentEncoding.repaired(behind[path.endIndex...])
  }

  /// Decodes a path that `URL(string:)` encoded as a whole, which the encoded colon of the archive's scheme shows. Whether it encoded
  /// the query and the fragment cannot be seen.
  private static func withoutFoundationsEncoding(_ rest: ArraySlice<UInt8>) -> [UInt8] {
    let path = rest.prefix { !"?#".utf8.contains($0) }
    let first = path.prefix { $0 != UInt8(ascii: "/") }
    guard !first.contains(UInt8(ascii: ":")), scheme(of: PercentEncoding.decoded(first)) != nil else {
      return Array(rest)
    }
    return PercentEncoding.decoded(path) + rest[path.endIndex...]
  }

  private static func lastSeparator(in text: [UInt8]) -> Int? {
    text.indices.dropLast().last { text[$0] == UInt8(ascii: "!") && text[$0 + 1] == UInt8(ascii: "/") }
  }

  /// Resolves the dot segments of a path that is below the top directory, then decodes it.
  private static func memberName(_ path: ArraySlice<UInt8>) -> [UInt8] {
    var kept: [ArraySlice<UInt8>] = []
    var endsWithDots = false
    for segment in path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
      let isParent = segment.elementsEqual("..".utf8)
      endsWithDots = isParent || segment.elementsEqual(".".utf8)
      if isParent { _ = kept.popLast() } else if !endsWithDots { kept.append(segment) }
    }
    // A directory.
    if endsWithDots { kept.append([]) }
    return PercentEncoding.decoded(Array(kept.joined(separator: CollectionOfOne(UInt8(ascii: "/")))))
  }

  /// Whether this is one scheme or more with their colons, such as `archive:file:`.
  private static func isSchemes(_ text: [UInt8]) -> Bool {
    guard text.last == UInt8(ascii: ":") else { return false }
    return text.dropLast().split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
      .allSatisfy { scheme(of: $0 + [UInt8(ascii: ":")]) != nil }
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) }

  private static func string(_ bytes: some Collection<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
}
