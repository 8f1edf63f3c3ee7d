// Safe to share: the stream is handed to one protocol instance, which is its only reader.

/// The body of an upload, as a protocol instance gets it.
@frozen public enum URLUploadBody: @unchecked Sendable {
  /// Bytes in memory.
  case data(Data)

  /// A file of `length` bytes, measured when the load began.
  case file(URL, length: Int64)

  /// A stream, not yet opened, read once; `length` in bytes if the request has a `Content-Length`.
  case stream(InputStream, length: Int64?)

  /// The length in bytes; nil for a stream of unknown length.
  public var length: Int64? {
    switch self {
    case .data(let data): Int64(data.count)
    case .file(_, let length): length
    case .stream(_, let length): length
    }
  }
}
