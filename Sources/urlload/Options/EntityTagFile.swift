import URLLoading

/// The file of `--etag-save` and `--etag-compare`: an entity tag with its quotes, on one line.
enum EntityTagFile {
  /// Refuses what stands for standard input or output in other options.
  static func check(_ path: String, of option: String) throws(Failure) {
    guard path == "-" else { return }
    throw Failure(
      .usage, "\(option) - cannot be: the tag is kept in a file", advice: "name one, or write ./- for that name")
  }

  /// Nil where there is no file, or nothing in it.
  static func read(_ path: String) throws(Failure) -> String? {
    guard access(path, F_OK) == 0 else { return nil }
    return try LocalInput.lines(of: path).first.map { $0.trimmingCharacters(in: .whitespaces) }
      .flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Writes the file in place, and cuts it only then: the tag of an earlier load stays where a full disk takes no new one.
  /// - Parameter tag: nil for an empty file.
  static func write(_ tag: String?, to path: String) throws(Failure) {
    let content = Data((tag.map { "\($0)\n" } ?? "").utf8)
    let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY, 0o666)
    guard descriptor >= 0 else { throw Failure(writing: path, errno) }
    defer { close(descriptor) }
    try DescriptorWriter.write(content, to: descriptor, path)
    // EINVAL: what is no file has no length.
    guard ftruncate(descriptor, off_t(content.count)) == 0 || errno == EINVAL else {
      throw Failure(writing: path, errno)
    }
    try DescriptorWriter.checkClose(descriptor, path)
  }
}
