internal import URLLoadingCLinux
internal import URLLoadingHTTPSemantics

/// A file that is open for reading, and what is known about it. Closes it when released.
final class OpenFile: Sendable {
  let descriptor: Int32
  let length: Int64
  let isRegular: Bool
  let permissions: UInt16
  let validators: ResourceValidators
  private let url: URL

  /// Opens what a `file:` URL names.
  init(reading url: URL) throws(URLError) {
    self.url = url
    let path = try FilePath(url)
    // A pipe without a writer would make open wait.
    let opened = open(path.characters, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard opened >= 0 else { throw Self.failure(toOpen: url, errno) }
    var status = stat()
    guard fstat(opened, &status) == 0 else {
      let reason = errno
      close(opened)
      throw Self.failure(toOpen: url, reason)
    }
    let kind = status.st_mode & S_IFMT
    guard kind != S_IFDIR else {
      close(opened)
      throw Self.failure(toOpen: url, EISDIR)
    }
    descriptor = opened
    isRegular = kind == S_IFREG
    permissions = UInt16(status.st_mode & 0o7777)
    length = Int64(status.st_size)
    validators = Self.validators(status)
  }

  static func validators(_ status: stat) -> ResourceValidators {
    let modified = status.st_mtim
    return ResourceValidators(
      // Inode, size and time to the nanosecond: what changes when the content does.
      entityTag:
        "\"\(String(status.st_ino, radix: 16))-\(String(status.st_size, radix: 16))-\(modified.tv_sec).\(modified.tv_nsec)\"",
      lastModified: Date(timeIntervalSince1970: TimeInterval(modified.tv_sec)))
  }

  deinit {
    close(descriptor)
  }

  static func failure(toOpen url: URL, _ reason: Int32) -> URLError {
    let (code, words): (URLError.Code, String) =
      switch reason {
      case ENOENT, ENOTDIR, ENXIO: (.fileDoesNotExist, "There is no such file")
      case EISDIR: (.fileIsDirectory, "It is a directory")
      case EACCES, EPERM: (.noPermissionsToReadFile, "Its permissions forbid it")
      default: (.cannotOpenFile, String(cString: strerror(reason)))
      }
    return URLError(
      code, message: "Cannot load \(url.redactedDescription): \(words).", url: url,
      underlying: POSIXErrorCode(rawValue: reason).map { POSIXError($0) })
  }

  /// Whether the file ends where its size says. Files below `/proc` have contents and a size of 0, and those below `/sys` the size of a
  /// page, whatever is in them.
  var hasLength: Bool {
    isRegular && (length > 0 ? !is_of_sysfs(descriptor) : beginning.isEmpty)
  }

  /// An error in the middle of the file.
  func readFailure(_ reason: String, underlying: POSIXError? = nil) -> URLError {
    URLError(
      .resourceUnavailable, message: "Cannot read on in \(url.redactedDescription): \(reason).", url: url,
      underlying: underlying)
  }

  /// The same by the system's error.
  func readFailure(_ reason: Int32) -> URLError {
    readFailure(
      String(cString: strerror(reason)), underlying: POSIXErrorCode(rawValue: reason).map { POSIXError($0) })
  }

  /// Whether a read would not block.
  var isReady: Bool {
    var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&request, 1, 0) > 0
  }

  // MARK: What it contains

  /// By the name's extension; where that says nothing, by content.
  var mimeType: String? {
    MIMETypes.type(forFileName: url.lastPathComponent) ?? (isRegular ? ContentSniffer.mimeType(of: beginning) : nil)
      ?? "application/octet-stream"
  }

  /// The encoding of text with a byte order mark.
  var textEncodingName: String? {
    isRegular ? ContentSniffer.textEncoding(of: beginning) : nil
  }

  private var beginning: [UInt8] {
    [UInt8](unsafeUninitializedCapacity: ContentSniffer.prefixLength) { buffer, initialized in
      initialized = max(0, pread(descriptor, buffer.baseAddress, ContentSniffer.prefixLength, 0))
    }
  }
}
