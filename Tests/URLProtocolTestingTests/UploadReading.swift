import URLLoading

/// Reading an upload's body, wherever it is.
enum UploadReading {
  /// Reads the whole body; may block.
  static func bytesBlocking(of body: URLUploadBody) throws -> Data {
    switch body {
    case .data(let data): return data
    case .file(let file, _): return try Data(contentsOf: file)
    case .stream(let stream, _): return try bytes(of: stream)
    }
  }

  private static func bytes(of stream: InputStream) throws -> Data {
    stream.open()
    defer { stream.close() }
    var bytes = Data()
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = stream.read(&buffer, maxLength: buffer.count)
      if count < 0 { throw stream.streamError ?? URLError(.cannotOpenFile) }
      if count == 0 { return bytes }
      bytes.append(contentsOf: buffer[..<count])
    }
  }
}
