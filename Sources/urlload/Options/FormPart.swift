import URLLoading

/// One field of a form that is sent in parts (RFC 7578), as `-F` describes it.
struct FormPart: Equatable, Sendable {
  enum Content: Equatable, Sendable {
    case text(String)
    /// `@FILE`, which the server sees as a file, or `<FILE`, whose content is the field's.
    case file(String)
  }

  let name: String
  let content: Content
  var fileName: String?
  var type: String?

  /// Reads `NAME=TEXT`, `NAME=@FILE` or `NAME=<FILE`; `;type=` and `;filename=` may follow. What has a semicolon itself is in quotes.
  /// - Parameter isLiteral: whether the text is taken as it is (`--form-string`).
  init(_ text: String, isLiteral: Bool = false) throws(Failure) {
    guard let mark = text.firstIndex(of: "="), mark != text.startIndex else {
      throw Failure(.usage, "a field of a form needs a name", advice: "write -F NAME=TEXT or -F NAME=@FILE")
    }
    name = String(text[..<mark])
    let value = text[text.index(after: mark)...]
    guard !isLiteral else {
      content = .text(String(value))
      return
    }
    let isFile = value.hasPrefix("@") || value.hasPrefix("<")
    var settings = try FormSettings(isFile ? value.dropFirst() : value, allowsOthers: !isFile)
    content = isFile ? .file(settings.content) : .text(settings.content)
    if value.hasPrefix("@") {
      let path = settings.content
      settings.fileName = settings.fileName ?? (path == "-" ? "-" : URL(fileURLWithPath: path).lastPathComponent)
      settings.type = settings.type ?? MIMETypes.type(forFileName: path) ?? "application/octet-stream"
    }
    (fileName, type) = (settings.fileName, settings.type)
  }

  /// The lines before the content.
  private var head: String {
    MultipartFormData.head(name: name, fileName: fileName, contentType: type.map { SafeText.line($0) })
  }

  /// Writes the body of a form into a file that has no name, so that it is read as often as it is sent, and gone at the end.
  /// - Returns: the path by which this process opens it.
  static func spool(_ parts: [FormPart], boundary: String) throws(Failure) -> String {
    let folder = FileManager.default.temporaryDirectory.path
    let path = "\(folder)/urlload-\(String(UInt64.random(in: 0 ... .max), radix: 16))"
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_EXCL | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw Failure(writing: folder, errno) }
    unlink(path)
    func write(_ text: String) throws(Failure) { try DescriptorWriter.write(Data(text.utf8), to: descriptor, folder) }
    for part in parts {
      try write("--\(boundary)\r\n\(part.head)")
      switch part.content {
      case .text(let text): try write(text)
      case .file(let path): try copy(path, to: descriptor, folder)
      }
      try write("\r\n")
    }
    try write("--\(boundary)--\r\n")
    return "/proc/self/fd/\(descriptor)"
  }

  private static func copy(_ path: String, to target: Int32, _ folder: String) throws(Failure) {
    let source = path == "-" ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) : open(path, O_RDONLY | O_CLOEXEC)
    guard source >= 0 else { throw Failure(reading: path, errno) }
    defer { close(source) }
    try DescriptorWriter.copy(from: source, path, to: target, folder)
  }
}
