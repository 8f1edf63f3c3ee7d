@testable import ArchiveProtocol

extension ArchiveError? {
  /// Whether this says that an archive is damaged, with these words.
  func isDamaged(_ words: String) -> Bool {
    if case .damaged(let what) = self { what.contains(words) } else { false }
  }

  /// Whether this says that something is not supported, with these words.
  func isUnsupported(_ words: String) -> Bool {
    if case .unsupported(let what) = self { what.contains(words) } else { false }
  }

  /// Whether this names a limit by its property.
  func isLimit(_ property: String) -> Bool {
    if case .limitExceeded(_, _, property) = self { true } else { false }
  }
}
