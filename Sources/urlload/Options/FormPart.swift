import URLLoading
internal import URLLoadingBase

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

  /// Adds the field to a form. A file is read when the form is sent; what has no length is read now, because the server is told that of
  /// the whole.
  func append(to form: inout MultipartFormData) throws(Failure) {
    let type = type.map { SafeText.line($0) }
    switch content {
    case .text(let text): form.append(Data(text.utf8), named: name, fileName: fileName, contentType: type)
    case .file(let path) where Self.hasLength(path):
      let file = URL(fileURLWithPath: path)
      do {
        if let fileName {
          try form.append(contentsOf: file, named: name, fileName: fileName, contentType: type)
        } else {
          try form.append(valueOf: file, named: name, contentType: type)
        }
      } catch {
        throw Failure(reading: path, access(path, R_OK) == 0 ? EIO : errno)
      }
    case .file(let path):
      switch try SpooledInput(readingAllOf: path) {
      case .bytes(let data): form.append(data, named: name, fileName: fileName, contentType: type)
      case .file(let file, let length):
        form.append(file, length: length, named: name, fileName: fileName, contentType: type)
      }
    }
  }

  /// Whether a path leads to a regular file with something in it: those of the kernel have a length of 0, whatever they have.
  private static func hasLength(_ path: String) -> Bool {
    var status = stat()
    return path != "-" && stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_size > 0
  }
}
