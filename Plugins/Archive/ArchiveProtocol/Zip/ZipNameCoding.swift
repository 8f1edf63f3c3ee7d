/// Compares names whose codings are not known: some tools write one of a member's two names in UTF-8 and the other in the code page of
/// their system, or with `?` in place of what that lacks.
enum ZipNameCoding {
  /// Whether two names can be one in two codings: they have the same ASCII characters around those that are not ASCII in one of them.
  static func canBeSame(_ first: [UInt8], _ second: [UInt8]) -> Bool {
    surrounds(first, second) || surrounds(second, first)
  }

  /// Only what stands around is compared, because the second byte of a character can be ASCII in a code page.
  private static func surrounds(_ pattern: [UInt8], _ name: [UInt8]) -> Bool {
    guard let first = pattern.firstIndex(where: { $0 >= 0x80 }), let last = pattern.lastIndex(where: { $0 >= 0x80 })
    else { return false }
    let prefix = pattern[..<first]
    let suffix = pattern[(last + 1)...]
    return name.count > prefix.count + suffix.count && name.starts(with: prefix)
      && name.suffix(suffix.count).elementsEqual(suffix)
  }
}
