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

  /// Replaces the file as a whole: the tag of an earlier load stays where the new one cannot be written.
  /// - Parameter tag: nil for an empty file.
  static func write(_ tag: String?, to path: String) throws(Failure) {
    let content = Data((tag.map { "\($0)\n" } ?? "").utf8)
    let target = try FileTarget(path)
    guard !FileTarget.isSpecial(path), let hidden = try? PartialFiles.makeHidden(in: target.directory) else {
      return try writeInPlace(content, to: path)
    }
    defer { close(hidden.descriptor) }
    do throws(Failure) {
      try DescriptorWriter.write(content, to: hidden.descriptor, path)
      try DescriptorWriter.checkClose(hidden.descriptor, path)
      if let mode = target.mode { fchmod(hidden.descriptor, mode) }
      guard rename(hidden.path, FileNames.path(of: target.name, in: target.directory)) == 0 else {
        throw Failure(writing: path, errno)
      }
    } catch {
      unlink(hidden.path)
      throw error
    }
  }

  /// Writes a device, a pipe, or a file in a directory where no other can be made.
  private static func writeInPlace(_ content: Data, to path: String) throws(Failure) {
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
