package import URLLoadingBase

/// A form that is sent in parts (`multipart/form-data`, RFC 7578): fields, and files that are read as they are sent.
///
/// ```swift
/// var form = MultipartFormData()
/// form.append("Sunset", named: "title")
/// try form.append(contentsOf: photo, named: "photo")
/// let (data, response) = try await session.upload(for: request, from: form)
/// ```
///
/// The server is told the length of the whole. A file that has changed since it was added fails the load.
public struct MultipartFormData: Sendable {
  enum Piece: Sendable {
    case bytes(Data)
    case file(path: String, version: UploadFileVersion)
    /// A file without a name, which nobody else changes.
    case spool(SpoolFile, length: Int64)

    var length: Int64 {
      switch self {
      case .bytes(let data): Int64(data.count)
      case .file(_, let version): version.size
      case .spool(_, let length): length
      }
    }
  }

  /// What stands between the parts, made at random.
  public let boundary =
    "form-\(String(UInt64.random(in: 0 ... .max), radix: 36))\(String(UInt64.random(in: 0 ... .max), radix: 36))"

  private var parts: [Piece] = []

  /// A form without parts.
  public init() {}

  /// The value of the field `Content-Type` that goes with the body. Uploads of a form set it by themselves.
  public var contentType: String { "multipart/form-data; boundary=\(boundary)" }

  /// The length of the body in bytes.
  public var length: Int64 { pieces.reduce(0) { $0 + $1.length } }

  /// Adds a field of text.
  public mutating func append(_ value: String, named name: String) {
    append(.bytes(Data(value.utf8)), Self.head(name: name))
  }

  /// Adds bytes.
  /// - Parameters:
  ///   - data: the part's content.
  ///   - name: the field's name.
  ///   - fileName: where there is one, servers take the part for a file.
  ///   - contentType: its MIME type.
  public mutating func append(
    _ data: Data, named name: String, fileName: String? = nil, contentType: String? = nil
  ) {
    append(.bytes(data), Self.head(name: name, fileName: fileName, contentType: contentType))
  }

  /// Adds a file, which is read when the form is sent; one whose size says nothing, as of those below `/proc`, is read at once.
  /// - Parameters:
  ///   - file: a regular file.
  ///   - name: the field's name.
  ///   - fileName: what the server is told; the file's own name unless given.
  ///   - contentType: its MIME type; by the extension of its name unless given, else `application/octet-stream`.
  /// - Throws: `URLError.fileDoesNotExist` where it cannot be read, or is no regular file.
  public mutating func append(
    contentsOf file: URL, named name: String, fileName: String? = nil, contentType: String? = nil
  ) throws {
    let fileName = fileName ?? file.lastPathComponent
    let type = contentType ?? MIMETypes.type(forFileName: fileName) ?? "application/octet-stream"
    append(try Self.piece(of: file, named: name), Self.head(name: name, fileName: fileName, contentType: type))
  }

  /// Adds a file, which is read when the form is sent, as the value of a field: servers do not take the part for a file.
  /// - Throws: `URLError.fileDoesNotExist` where it cannot be read, or is no regular file.
  package mutating func append(valueOf file: URL, named name: String, contentType: String? = nil) throws {
    append(try Self.piece(of: file, named: name), Self.head(name: name, contentType: contentType))
  }

  /// Adds the first bytes of a spool, which the form keeps open.
  /// - Parameters:
  ///   - length: how many, in bytes.
  ///   - fileName: where there is one, servers take the part for a file.
  package mutating func append(
    _ spool: SpoolFile, length: Int64, named name: String, fileName: String? = nil, contentType: String? = nil
  ) {
    append(
      .spool(spool, length: length), Self.head(name: name, fileName: fileName, contentType: contentType))
  }

  private static func piece(of file: URL, named name: String) throws -> Piece {
    guard let version = UploadFileVersion(ofFile: file), access(file.path, R_OK) == 0 else {
      throw URLError(
        .fileDoesNotExist, message: "The file of the form's part \"\(name)\" cannot be read: \(file.path).", url: file)
    }
    guard UploadSource.lacksLength(file) else { return .file(path: file.path, version: version) }
    guard let contents = try UnsizedFile.contents(of: file.path) else {
      throw URLError(
        .dataLengthExceedsMaximum,
        message:
          "The file of the form's part \"\(name)\" tells no size, and has more than \(UnsizedFile.limit) bytes: \(file.path).",
        url: file)
    }
    return .bytes(contents)
  }

  /// A stream of the body, to be read once; for a request's `httpBodyStream` or a delegate that is asked for a new one.
  public func makeInputStream() -> InputStream { MultipartInputStream(pieces) }

  /// Writes the body into a file, which is replaced when the body is whole, and which its owner alone may read; for background sessions,
  /// which upload files alone.
  /// - Throws: what reading a part or writing the file fails with.
  public func write(to file: URL) throws {
    let stream = makeInputStream()
    stream.open()
    defer { stream.close() }
    var buffer = [UInt8](repeating: 0, count: 1 << 18)
    try PrivateFile.write(to: file) {
      let count = stream.read(&buffer, maxLength: buffer.count)
      if count < 0 { throw stream.streamError ?? CocoaError(.fileReadUnknown) }
      return buffer[..<count]
    }
  }

  /// The first file that has changed since it was added; nil for none.
  var changedFile: String? {
    for case .file(let path, let version) in parts
    where UploadFileVersion(ofFile: URL(fileURLWithPath: path)) != version {
      return path
    }
    return nil
  }

  /// The whole body in pieces.
  var pieces: [Piece] {
    parts + [.bytes(Data("--\(boundary)--\r\n".utf8))]
  }

  private mutating func append(_ content: Piece, _ head: String) {
    parts += [.bytes(Data("--\(boundary)\r\n\(head)".utf8)), content, .bytes(Data("\r\n".utf8))]
  }

  /// The lines in front of a part's content, and the empty one.
  static func head(name: String, fileName: String? = nil, contentType: String? = nil) -> String {
    // As browsers write them (RFC 7578, section 4.2, and HTML's multipart/form-data encoding).
    // By scalars: CR and LF together are one character.
    func quoted(_ text: String) -> String {
      var result = ""
      for scalar in text.unicodeScalars {
        switch scalar {
        case "\"": result += "%22"
        case "\r": result += "%0D"
        case "\n": result += "%0A"
        default: result.unicodeScalars.append(scalar)
        }
      }
      return "\"\(result)\""
    }
    var head = "Content-Disposition: form-data; name=\(quoted(name))"
    if let fileName { head += "; filename=\(quoted(fileName))" }
    if let contentType { head += "\r\nContent-Type: \(contentType.filter { !$0.isNewline })" }
    return head + "\r\n\r\n"
  }
}
