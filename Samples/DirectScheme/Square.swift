import URLLoading

/// The square of a number, which takes no time: there is nothing to stop, and nothing to pause.
final class Square: URLDirectLoad {
  let response: URLResponse
  let body: Data

  init?(_ request: URLRequest) {
    guard let url = request.url, let number = url.host().flatMap({ Int32($0) }) else { return nil }
    body = Data("\(Int64(number) * Int64(number))".utf8)
    response = URLResponse(
      url: url, mimeType: "text/plain", expectedContentLength: body.count, textEncodingName: "utf-8")
  }

  static func noNumber(in url: URL?) -> URLError {
    URLError(.badURL, message: "The host is to be a number, as in square://12.", url: url)
  }

  func start(for receiver: URLDirectReceiver) {
    receiver.receive(response, cacheStoragePolicy: .notAllowed)
    receiver.receive(body)
    receiver.finish()
  }

  func stop() {}
  func setPaused(_ isPaused: Bool) {}
}
