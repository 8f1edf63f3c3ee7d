/// The whole body of an upload that may be resumed, of which each request sends some.
// Safe to share: `source` is one of bytes or a file; a stream is handed on once.
struct UploadBody: @unchecked Sendable {
  let source: UploadSource
  /// What the file was when the upload began; nil for other bodies.
  let fileVersion: UploadFileVersion?

  init(_ source: UploadSource) {
    self.source = source
    if case .file(let url) = source { fileVersion = UploadFileVersion(ofFile: url) } else { fileVersion = nil }
  }

  /// A body from resume data.
  init(_ source: UploadSource, fileVersion: UploadFileVersion?) {
    self.source = source
    self.fileVersion = fileVersion
  }

  /// Why the rest of the body cannot be sent, in words; nil where it can.
  var failure: (code: URLError.Code, words: String)? {
    if case .form(let form) = source, let path = form.changedFile { return Self.change(of: path) }
    guard case .file(let url) = source else { return nil }
    guard let now = UploadFileVersion(ofFile: url) else {
      return (.fileDoesNotExist, "The upload cannot be resumed: its file cannot be read any more: \(url.path)")
    }
    return now == fileVersion ? nil : Self.change(of: url.path)
  }

  private static func change(of path: String) -> (code: URLError.Code, words: String) {
    (
      .cannotOpenFile,
      "The upload cannot be resumed: its file has changed since it began, and the server has the beginning of what it was. Upload anew: "
        + path
    )
  }

  /// What a request sends; nil for the body that a delegate gives as a stream.
  func source(of part: ResumableUpload.Part) -> UploadSource? {
    switch source {
    case .none: return UploadSource.none
    case .data(let data):
      let start = min(Int(clamping: part.offset), data.count)
      let count = min(Int(clamping: part.length ?? .max), data.count - start)
      return .data(data.subdata(in: data.startIndex + start..<data.startIndex + start + count))
    case .file(let url):
      return .stream(Self.limited(DescriptorInputStream(file: url.path, from: part.offset), to: part))
    case .unsizedFile(let url):
      return .stream(Self.limited(DescriptorInputStream(file: url.path, from: part.offset), to: part))
    case .form(let form):
      return .stream(Self.limited(MultipartInputStream(form.pieces, from: part.offset), to: part))
    case .stream: return nil
    }
  }

  static func limited(_ stream: InputStream, to part: ResumableUpload.Part) -> InputStream {
    part.length.map { LimitedInputStream(stream, length: $0) } ?? stream
  }
}
