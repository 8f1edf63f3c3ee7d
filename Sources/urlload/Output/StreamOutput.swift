import URLLoading
internal import URLLoadingBase

/// Standard output, a pipe or a device: what was written cannot be taken back.
///
/// Mutable state: `written`, guarded by its lock.
final class StreamOutput: Output {
  private let descriptor: Int32
  private let owns: Bool
  private let label: String
  private let written = Locked<Int64>(0)

  /// Standard output.
  init() {
    descriptor = STDOUT_FILENO
    owns = false
    label = "standard output"
  }

  /// A device or a named pipe.
  init(opening path: String) throws(Failure) {
    descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY)
    owns = true
    label = path
    guard descriptor >= 0 else { throw Failure(writing: path, errno) }
  }

  deinit {
    if owns, descriptor >= 0 { close(descriptor) }
  }

  var count: Int64 { written.withLock { $0 } }
  var isFile: Bool { false }
  var name: String? { nil }
  var path: String? { nil }

  func begin(_ response: URLResponse, of url: URL, _ resumption: Resumption?) throws(Failure) {}

  func write(_ data: Data) throws(Failure) {
    try DescriptorWriter.write(data, to: descriptor, label)
    written.withLock { $0 += Int64(data.count) }
  }

  func restart() throws(Failure) {}
  func finish(_ date: Date?) throws(Failure) {}
  func abandon() {}
  func keep() -> KeptPart? { nil }
}

extension Failure {
  /// A local file or stream that could not be written.
  init(writing path: String, _ code: Int32) {
    let text = String(cString: strerror(code))
    switch code {
    case EPIPE: self.init(.outputClosed, text, path, advice: "nobody reads it")
    case ENOSPC, EDQUOT: self.init(.localFile, "cannot write (\(text))", path, advice: "make room, or write elsewhere")
    case EISDIR: self.init(.localFile, "cannot write (\(text))", path, advice: "name a file in this directory")
    case ENOENT: self.init(.localFile, "cannot write (\(text))", path, advice: "create its directory first")
    default: self.init(.localFile, "cannot write (\(text))", path, advice: "write where you may, with -o FILE")
    }
  }

  /// A local file that could not be read.
  init(reading path: String, _ code: Int32) {
    self.init(
      .localFile, "cannot read (\(String(cString: strerror(code))))", path, advice: "name a file that you may read")
  }
}
