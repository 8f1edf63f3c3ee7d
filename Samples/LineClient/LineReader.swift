import URLLoading

/// Cuts what a stream task's peer sends into lines.
struct LineReader {
  let stream: URLSessionStreamTask
  private var buffer = Data()
  private var isAtEnd = false

  init(stream: URLSessionStreamTask) {
    self.stream = stream
  }

  /// The next line without its end; nil where there is none.
  mutating func next() async throws -> String? {
    while true {
      if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
        let line = buffer[..<end]
        buffer.removeSubrange(...end)
        return String(decoding: line, as: UTF8.self)
      }
      guard !isAtEnd else { return nil }
      let (data, atEOF) = try await stream.readData(ofMinLength: 1, maxLength: 4096, timeout: 10)
      buffer.append(data ?? Data())
      isAtEnd = atEOF
    }
  }
}
