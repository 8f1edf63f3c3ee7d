import URLLoading

/// Where a stream comes from that no path leads to again.
enum DescriptorSource: Equatable, Sendable {
  /// From where it stands; also a socket, which cannot be opened by its path.
  case standardInput
  /// A pipe, which is opened when it is read: that waits for whoever writes.
  case path(String)

  /// A stream of it, whose reads `input` hears of.
  func stream(_ input: InputStatus) -> InputStream {
    DescriptorInputStream(opensLate: true, didRead: { input.use() }) { [self] in
      switch self {
      case .standardInput: fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
      case .path(let path): open(path, O_RDONLY | O_CLOEXEC)
      }
    }
  }
}
