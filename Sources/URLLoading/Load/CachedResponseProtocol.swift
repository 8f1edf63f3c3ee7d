internal import URLLoadingBase

/// Sends what a cache has stored in the place of an instance that loads it: the response, or the redirect that it is, and the body.
///
/// Mutable state: none; the gate says when the attempt has ended.
// Safe to share: see above.
class CachedResponseProtocol: URLProtocol, @unchecked Sendable {
  /// What is sent.
  struct Answer: Sendable {
    var response: URLResponse
    var body: URLCacheBody
    /// The part of the body that the request asks for.
    var range: Range<Int64>
    /// Removes the entry from its store, for a body that cannot be read; nil for one in memory.
    var discard: (@Sendable () -> Void)?
  }

  private let answer: Answer?

  /// Makes an instance that sends an answer.
  static func instance(_ answer: Answer, for request: URLRequest, client: LoadClient) -> CachedResponseProtocol {
    switch answer.body {
    case .data: CachedDataProtocol(answer, for: request, client: client)
    case .reader: CachedResponseProtocol(answer, for: request, client: client)
    }
  }

  fileprivate init(_ answer: Answer, for request: URLRequest, client: LoadClient) {
    self.answer = answer
    super.init(request: request, cachedResponse: nil, client: client)
  }

  required init(request: URLRequest, cachedResponse: CachedURLResponse?, client: (any URLProtocolClient)?) {
    answer = nil
    super.init(request: request, cachedResponse: cachedResponse, client: client)
  }

  override func startLoading() {
    guard let answer, let sessionClient else { return }
    do {
      if case .reader(let reader) = answer.body {
        // As long as nothing has been sent, the load can turn to the source. It asks the cache again, which must not have the entry then.
        do { try reader.check(answer.range) } catch {
          answer.discard?()
          throw error
        }
      }
      sendHead(answer.response, to: sessionClient)
      switch answer.body {
      case .data(let data):
        // A cache of the program's own may have given a slice, whose positions do not begin at 0.
        let start = data.startIndex
        let range = start + Int(answer.range.lowerBound)..<start + Int(answer.range.upperBound)
        let part = range.count == data.count ? data : data.subdata(in: range)
        if !part.isEmpty { sessionClient.urlProtocol(self, didLoad: part) }
      case .reader(let reader): try send(reader, answer.range, to: sessionClient)
      }
      sessionClient.urlProtocolDidFinishLoading(self)
    } catch is CancellationError {
      // The attempt has ended, and nobody listens.
    } catch let error as URLError {
      sessionClient.urlProtocol(self, didFailWithError: error)
    } catch {
      let lost = URLError(
        .networkConnectionLost, message: error.localizedDescription, url: request.url, underlying: error)
      sessionClient.urlProtocol(self, didFailWithError: lost)
    }
  }

  private func sendHead(_ response: URLResponse, to client: any URLProtocolSessionClient) {
    if let http = response as? HTTPURLResponse {
      var exchange = HTTPExchange()
      if case .redirect(let next) = exchange.received(http, for: request) {
        client.urlProtocol(self, wasRedirectedTo: next, redirectResponse: http, bodyFollows: true)
      }
    }
    client.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
  }

  private func send(
    _ reader: any URLCacheReader, _ range: Range<Int64>, to client: any URLProtocolSessionClient
  ) throws {
    let missing = try reader.read(range) { piece in
      try client.gate.blockUntilOpen()
      client.urlProtocol(self, didLoad: piece)
    }
    guard missing == 0 else {
      throw URLError(
        .networkConnectionLost, message: "The stored body ended \(missing) bytes too early.", url: request.url)
    }
  }
}

/// Sends what is in memory, at once.
private final class CachedDataProtocol: CachedResponseProtocol, @unchecked Sendable {
  override class var capabilities: Capabilities { .nonblocking }
}
