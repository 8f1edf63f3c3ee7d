/// Where the body of a task's requests comes from.
// Safe to share: a stream is handed on once, to the protocol instance that reads it.
enum UploadSource: @unchecked Sendable {
  case none
  case data(Data)
  case file(URL)
  /// A file that is read to its end, wherever that is; see ``UnsizedFile``.
  case unsizedFile(URL)
  case form(MultipartFormData)
  /// A stream; nil where the delegate is asked for one.
  case stream(InputStream?)

  /// The source of a request's own body.
  init(of request: borrowing URLRequest) {
    if let data = request.httpBody {
      self = .data(data)
    } else if let stream = request.httpBodyStream {
      self = UploadSource(stream: stream)
    } else {
      self = .none
    }
  }

  /// The source of a stream, which a form may have gone as through the methods of a subclass.
  init(stream: InputStream?) {
    self = (stream as? MultipartInputStream)?.form.map { .form($0) } ?? .stream(stream)
  }

  /// Bytes that will be sent; -1 when that is not known.
  func expectedLength(of request: URLRequest) -> Int64 {
    switch self {
    case .none: 0
    case .data(let data): Int64(data.count)
    case .file(let url): Self.length(ofFile: url) ?? -1
    case .unsizedFile: -1
    case .form(let form): form.length
    case .stream: Self.declaredLength(of: request) ?? -1
    }
  }

  /// The `Content-Length` that a request declares.
  static func declaredLength(of request: URLRequest) -> Int64? {
    request.value(forHTTPHeaderField: "Content-Length").flatMap { Int64($0) }.flatMap { $0 >= 0 ? $0 : nil }
  }

  /// The size of a regular file; nil where there is none.
  static func length(ofFile url: URL) -> Int64? { status(ofFile: url).map { Int64($0.st_size) } }

  /// Whether a file's size says nothing of its contents.
  static func lacksLength(_ url: URL) -> Bool {
    status(ofFile: url).map { UnsizedFile.isOne(url.path, $0) } ?? false
  }

  private static func status(ofFile url: URL) -> stat? {
    var status = stat()
    guard url.isFileURL, stat(url.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return status
  }
}
