import URLLoading

/// Loads, stores and removes `memory:` URLs: a whole protocol class, with byte ranges (so downloads resume) and uploads.
final class MemoryProtocol: AsyncURLProtocol, @unchecked Sendable {
  private static let pieceSize = 64 << 10

  override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "memory" }

  override class var capabilities: Capabilities {
    super.capabilities.union([
      .byteRanges, .upload, .schemes("memory"), .acceptedHTTPMethods("GET", "HEAD", "PUT", "DELETE"),
    ])
  }

  override func load(_ request: URLRequest, to writer: Writer) async throws {
    guard let url = request.url else { throw URLError(.badURL) }
    if writer.uploadBody != nil {
      var bytes = Data()
      // Reports progress; a cancelled upload ends here, and stores nothing.
      for try await chunk in writer.uploadChunks { bytes.append(chunk) }
      await MemoryStore.shared.put(bytes, at: url)
      return try await writer.respond(mimeType: nil, length: 0)
    }
    let item =
      request.httpMethod == "DELETE" ? await MemoryStore.shared.remove(url) : await MemoryStore.shared.item(at: url)
    guard let item else {
      throw URLError(.fileDoesNotExist, message: "Nothing is stored at \(url).", url: url)
    }
    if request.httpMethod == "DELETE" { return try await writer.respond(mimeType: nil, length: 0) }
    let length = Int64(item.bytes.count)
    // Looks at Range and If-Range.
    let selection = request.byteRange(ofLength: length, validators: item.validators)
    guard let (range, contentRange) = selection.bytes(ofLength: length) else {
      throw URLError.unsatisfiableRange(of: request, length: length)
    }
    try await writer.respond(
      URLResponse(
        url: url, mimeType: "application/octet-stream", expectedContentLength: Int64(range.count),
        textEncodingName: nil, contentRange: contentRange, validators: item.validators, acceptsByteRanges: true))
    guard request.httpMethod != "HEAD" else { return }
    // Small pieces: each waits until there is room for it.
    for start in stride(from: Int(range.lowerBound), to: Int(range.upperBound), by: Self.pieceSize) {
      try await writer.write(item.bytes[start..<min(start + Self.pieceSize, Int(range.upperBound))])
    }
  }
}
