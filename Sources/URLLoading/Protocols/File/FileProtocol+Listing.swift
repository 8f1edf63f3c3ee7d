/// Listing a directory, some entries a step.
extension FileProtocol {
  private static let entriesInAStep = 128

  func list() {
    guard let url = request.url else { return }
    let directory: OpenDirectory
    do {
      directory = try OpenDirectory(url)
    } catch {
      return fail(error)
    }
    client?.urlProtocol(
      self, didReceive: URLResponse(url: url, mimeType: nil, expectedContentLength: -1, textEncodingName: nil),
      cacheStoragePolicy: .notAllowed)
    pump.start {
      do {
        let (entries, isAtEnd) = try directory.read(atMost: Self.entriesInAStep)
        if !entries.isEmpty { self.sessionClient?.urlProtocol(self, didList: entries) }
        guard isAtEnd else { return .more }
        self.client?.urlProtocolDidFinishLoading(self)
      } catch {
        self.client?.urlProtocol(self, didFailWithError: error)
      }
      return .done
    }
  }
}
