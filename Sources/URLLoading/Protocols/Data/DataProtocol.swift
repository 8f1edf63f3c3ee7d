internal import CurlTransport

/// Loads `data:` URLs (RFC 2397, by the rules of the WHATWG Fetch Standard), piece by piece.
///
/// Mutable state: in `pump`, which guards it.
final class DataProtocol: URLProtocol, @unchecked Sendable {
  private static let chunkSize = 1 << 20
  private let pump = ChunkPump()

  override class func canInit(with request: URLRequest) -> Bool {
    request.url?.scheme?.lowercased() == "data"
  }

  override class var capabilities: Capabilities { [.byteRanges, .startsWithoutBlocking] }

  override class var schemes: [String] { ["data"] }

  override func startLoading() {
    // Parsing looks at every byte, and a data URL may have many.
    pump.start {
      self.begin()
      return .more
    }
  }

  override func stopLoading() { pump.stop() }
  override func pauseLoading() { pump.pause() }
  override func resumeLoading() { pump.resume() }

  private func begin() {
    guard let url = request.url else { return }
    let parsed: DataURL
    do {
      parsed = try DataURL(url)
    } catch {
      client?.urlProtocol(
        self,
        didFailWithError: URLError(
          .badURL, message: "The data: URL cannot be read: \(error). URL: \(url.redactedDescription).", url: url,
          underlying: error))
      return pump.stop()
    }
    let total = Int64(parsed.body.count)
    let selection = request.byteRange(ofLength: total, validators: ResourceValidators())
    guard let (bytes, contentRange) = selection.bytes(ofLength: total) else {
      client?.urlProtocol(self, didFailWithError: URLError.unsatisfiableRange(of: request, length: total))
      return pump.stop()
    }
    client?.urlProtocol(
      self,
      didReceive: URLResponse(
        url: url, mimeType: parsed.mimeType, expectedContentLength: Int64(bytes.count),
        textEncodingName: parsed.textEncodingName, contentRange: contentRange, validators: ResourceValidators(),
        acceptsByteRanges: true, suggestedFilename: nil),
      cacheStoragePolicy: .notAllowed)
    send(parsed.body, request.httpMethod == "HEAD" ? 0..<0 : Int(bytes.lowerBound)..<Int(bytes.upperBound))
  }

  private func send(_ body: DataURLBody, _ range: Range<Int>) {
    let next = Locked(range.lowerBound)
    pump.start {
      let start = next.withLock { $0 }
      let end = min(start + Self.chunkSize, range.upperBound)
      guard start < end else {
        self.client?.urlProtocolDidFinishLoading(self)
        return .done
      }
      next.withLock { $0 = end }
      self.client?.urlProtocol(self, didLoad: body.decode(range: start..<end))
      return .more
    }
  }
}
