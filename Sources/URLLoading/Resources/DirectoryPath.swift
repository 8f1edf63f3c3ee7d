/// The directories that are made for one that is to be there, from the first that is missing to the last. A value without I/O.
struct DirectoryPath {
  /// The innermost last; those that were found missing follow it.
  private var missing: [URL]
  /// Whether one was made or found: from then on none can lack its parent, unless others remove it.
  private var hasBegun = false

  init(_ url: URL) { missing = [url] }

  /// The directory to make now; nil where all are there.
  var next: URL? { missing.last }

  /// The next one is there.
  mutating func made() {
    hasBegun = true
    missing.removeLast()
  }

  /// The directory that the next one would be in is not there.
  /// - Returns: whether that is made first; false where there is none, or where it was there a moment ago.
  mutating func lacksParent() -> Bool {
    guard !hasBegun, let url = next else { return false }
    let parent = url.deletingLastPathComponent()
    let isRoot = parent.path(percentEncoded: true).isEmpty || parent.path(percentEncoded: true) == "/"
    guard !isRoot, parent.pathComponents.count < url.pathComponents.count else { return false }
    missing.append(parent)
    return true
  }
}
