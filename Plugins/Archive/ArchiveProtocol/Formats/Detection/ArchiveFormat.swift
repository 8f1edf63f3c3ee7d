/// A format that holds members.
enum ArchiveFormat: String, Sendable, Hashable, CaseIterable {
  case zip, tar, cpio, ar
  case sevenZip = "7z"
  case iso9660
  case cab, lha, rar, rar5, xar, warc

  /// Formats that are read only when the configuration asks: their readers have seen less use, and less scrutiny.
  static let optional: Set<ArchiveFormat> = [.cab, .lha, .rar, .rar5, .xar, .warc]

  /// What people call it.
  var name: String { rawValue }

  /// Whether members stand in the archive one after another, each behind its own header and as they are.
  var isPlainSequence: Bool {
    switch self {
    case .tar, .cpio, .ar: true
    default: false
    }
  }
}
