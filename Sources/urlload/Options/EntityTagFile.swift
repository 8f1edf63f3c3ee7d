import URLLoading

/// The file of `--etag-save` and `--etag-compare`: an entity tag with its quotes, on one line.
enum EntityTagFile {
  /// Nil where there is no file, or nothing in it.
  static func read(_ path: String) throws(Failure) -> String? {
    guard access(path, F_OK) == 0 else { return nil }
    return try LocalInput.lines(of: path).first.map { $0.trimmingCharacters(in: .whitespaces) }
      .flatMap { $0.isEmpty ? nil : $0 }
  }

  /// - Parameter tag: nil for an empty file.
  static func write(_ tag: String?, to path: String) throws(Failure) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw Failure(writing: path, errno) }
    defer { close(descriptor) }
    guard let tag else { return }
    try DescriptorWriter.write(Data("\(tag)\n".utf8), to: descriptor, path)
    try DescriptorWriter.checkClose(descriptor, path)
  }
}
