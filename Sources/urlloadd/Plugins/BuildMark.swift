/// With what something was linked: the version of this package and the compiler, as the name of the drop-in folder has them.
///
/// `Scripts/install-drop-in` makes it.
struct BuildMark: Hashable {
  static let (noteName, noteType): (String, UInt32) = ("URLLoading", 1)

  let version: String
  let compiler: String

  init(version: String, compiler: String) { (self.version, self.compiler) = (version, compiler) }

  /// Nil for another note, and for one without both names.
  init?(_ note: ELFNote) {
    guard note.name == Self.noteName, note.type == Self.noteType else { return nil }
    let parts = note.description.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy(Self.isName), note.description.count <= 300 else { return nil }
    version = String(decoding: parts[0], as: UTF8.self)
    compiler = String(decoding: parts[1], as: UTF8.self)
  }

  /// Whether bytes are printable ASCII without spaces, as `Scripts/install-drop-in` has them: a file's own bytes go to logs and terminals.
  private static func isName(_ bytes: ArraySlice<UInt8>) -> Bool {
    !bytes.isEmpty && bytes.allSatisfy { (0x21...0x7E).contains($0) }
  }

  /// Checks that all marks of an image are this one, and that it has one.
  func check(_ image: ELFImage) throws(PluginError) {
    let marks = image.notes.compactMap { BuildMark($0) }
    guard !marks.isEmpty else { throw .lacksMark }
    for mark in marks {
      guard mark.version == version else { throw .otherVersion(mark.version, own: version) }
      guard mark.compiler == compiler else { throw .otherCompiler(mark.compiler, own: compiler) }
    }
  }
}
