import Glibc

/// The character set of the names that libarchive gives: it converts to the thread's locale, and in the C locale names that are not
/// ASCII are NULL.
enum CharacterLocale {
  // Safe to share: made once, never changed or freed; `uselocale` only reads it.
  nonisolated(unsafe) private static let utf8 = newlocale(1 << LC_CTYPE, "C.UTF-8", nil)

  /// Runs `body` with UTF-8 as this thread's character set.
  static func withUTF8<Result>(_ body: () throws -> Result) rethrows -> Result {
    guard let utf8 else { return try body() }
    let before = uselocale(utf8)
    defer { uselocale(before) }
    return try body()
  }
}
