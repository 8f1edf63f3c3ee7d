internal import URLLoadingBase

/// What services that programs have started say on standard error: the file `log` beside the queue, which people can read.
///
/// Whoever starts a service has what that one says after what was there before.
package struct BackgroundServiceLog: Sendable {
  /// Bytes that it has at most, about: it begins anew beyond them.
  private static let limit: off_t = 64 << 10
  /// Bytes of it that an error has at most: its last.
  private static let quotedLimit: off_t = 2000

  private static func path(in state: String) -> String { "\(state)/log" }

  /// The file, open for appending.
  let file: OpenDescriptor
  /// Where what the next service says begins.
  private let begin: off_t

  /// Nil where it cannot be had.
  init?(in state: String) {
    let descriptor = open(Self.path(in: state), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { return nil }
    file = OpenDescriptor(descriptor)
    Self.shorten(descriptor)
    begin = lseek(descriptor, 0, SEEK_END)
  }

  /// What was said since, in a line; empty where there is nothing.
  var words: String {
    let end = lseek(file.number, 0, SEEK_END)
    // Another service may have begun it anew.
    let start = max(end < begin ? 0 : begin, end - Self.quotedLimit)
    guard start < end else { return "" }
    var bytes = [UInt8](repeating: 0, count: Int(end - start))
    let count = pread(file.number, &bytes, bytes.count, start)
    let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    let line = ForeignText.line(text.trimmingCharacters(in: .whitespacesAndNewlines), blank: " ")
    return line.hasSuffix(".") ? String(line.dropLast()) : line
  }

  /// Begins it anew where it is long and a descriptor is of it: a service may run for a year.
  package static func shorten(in state: String, of descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      FileIdentity(path: path(in: state)) == FileIdentity(of: descriptor)
    else { return }
    shorten(descriptor)
  }

  private static func shorten(_ descriptor: Int32) {
    var status = stat()
    if fstat(descriptor, &status) == 0, status.st_size > limit { ftruncate(descriptor, 0) }
  }
}
