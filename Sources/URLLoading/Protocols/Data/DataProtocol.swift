internal import URLLoadingBase

/// Loads `data:` URLs (RFC 2397, by the rules of the WHATWG Fetch Standard), piece by piece.
///
/// Mutable state: in `pump`, which guards it.
// Safe to share: the mutable state is guarded as said above.
final class DataProtocol: URLProtocol, @unchecked Sendable {
  private let pump = ChunkPump()

  override class func canInit(with request: URLRequest) -> Bool {
    request.url?.scheme?.lowercased() == "data"
  }

  /// Made once: every load reads it.
  private static let declared: Capabilities = [
    .byteRanges, .nonblocking, .background, .schemes("data"), .acceptedHTTPMethods("GET", "HEAD"),
  ]

  override class var capabilities: Capabilities { declared }

  override func startLoading() {
    pump.follow(sessionClient?.gate)
    // Parsing looks at every byte, and a data URL may have many.
    pump.start {
      self.begin()
      return .more
    }
  }

  override func stopLoading() { pump.stop() }

  private func begin() {
    guard let url = request.url else { return }
    let parsed: DataURL
    do {
      parsed = try DataURL(url)
    } catch {
      client?.urlProtocol(
        self,
        didFailWithError: URLError(
          .badURL, message: "The data: URL cannot be read: \(error).", url: url,
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
        textEncodingName: parsed.textEncodingName, contentRange: contentRange, acceptsByteRanges: true),
      cacheStoragePolicy: .notAllowed)
    send(parsed.body, request.httpMethod == "HEAD" ? 0..<0 : Int(bytes.lowerBound)..<Int(bytes.upperBound))
  }

  private func send(_ body: DataURLBody, _ range: Range<Int>) {
    let next = Locked(range.lowerBound)
    pump.start {
      let rest = next.withLock { $0 }..<range.upperBound
      do {
        let count = try body.withPiece(of: rest) { self.sessionClient?.urlProtocol(self, didLoad: $0) }
        next.withLock { $0 += count }
        if count > 0 { return .more }
        self.client?.urlProtocolDidFinishLoading(self)
      } catch {
        self.client?.urlProtocol(self, didFailWithError: error)
      }
      return .done
    }
  }
}
