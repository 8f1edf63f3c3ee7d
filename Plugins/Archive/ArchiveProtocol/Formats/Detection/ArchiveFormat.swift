/// A format that holds members, by its usual name. Some are an ``ArchiveConfiguration/OptionalFormat``, which has the same name.
enum ArchiveFormat: String, Sendable, Hashable, CaseIterable {
  case zip, tar, cpio, ar
  case sevenZip = "7z"
  case iso9660
  case cab, lha, rar, rar5, xar, warc

  /// Whether members stand in the archive one after another, each after its own header and as they are.
  var isPlainSequence: Bool { [.tar, .cpio, .ar].contains(self) }
}
