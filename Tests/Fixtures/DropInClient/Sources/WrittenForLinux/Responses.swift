import Foundation
import FoundationNetworking

/// A URL of no meaning.
let blank = URL(fileURLWithPath: "/blank")

extension HTTPURLResponse {
  /// A response of no meaning.
  convenience init() {
    // swift-format-ignore: NeverForceUnwrap
    self.init(url: blank, statusCode: 299, httpVersion: nil, headerFields: ["Content-Range": "bytes 0-4/5"])!
  }

  // Names that the library has for something else.
  var contentRange: String? { value(forHTTPHeaderField: "Content-Range") }
  var acceptsByteRanges: String { "mine" }
  var validators: [String] { ["mine"] }
}

/// A response whose values are its own.
final class OwnResponse: URLResponse, @unchecked Sendable {
  init() { super.init(url: blank, mimeType: "text/own", expectedContentLength: 7, textEncodingName: nil) }

  required init?(coder: NSCoder) { nil }
}

/// A cached response with a stored property that only its own initialiser sets.
final class NamedCachedResponse: CachedURLResponse, @unchecked Sendable {
  let name: String

  init(name: String) {
    self.name = name
    super.init(response: HTTPURLResponse(), data: Data(name.utf8))
  }
}

final class NamedSpace: URLProtectionSpace, @unchecked Sendable {
  let name: String

  init(name: String) {
    self.name = name
    super.init(host: name, port: 443, protocol: nil, realm: nil, authenticationMethod: nil)
  }
}

final class Answers: NSObject, URLAuthenticationChallengeSender {
  func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {}
  func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {}
  func cancel(_ challenge: URLAuthenticationChallenge) {}
  func performDefaultHandling(for challenge: URLAuthenticationChallenge) {}
  func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {}
}

final class NamedChallenge: URLAuthenticationChallenge, @unchecked Sendable {
  let name: String

  init(name: String) {
    self.name = name
    super.init(
      protectionSpace: NamedSpace(name: name), proposedCredential: nil, previousFailureCount: 0, failureResponse: nil,
      error: nil, sender: Answers())
  }
}

final class SmallCache: URLCache, @unchecked Sendable {
  init() { super.init(memoryCapacity: 1_000, diskCapacity: 0, diskPath: nil) }
}

/// An object that counts how often it was made by the designated initialiser.
final class CountedRequest: NSURLRequest {
  private(set) var made = 0

  override init(url: URL, cachePolicy: NSURLRequest.CachePolicy, timeoutInterval: TimeInterval) {
    made = 1
    super.init(url: url, cachePolicy: cachePolicy, timeoutInterval: timeoutInterval)
  }

  required init?(coder: NSCoder) { super.init(coder: coder) }
}

final class CountedMutableRequest: NSMutableURLRequest {
  private(set) var made = 0

  override init(url: URL, cachePolicy: NSURLRequest.CachePolicy, timeoutInterval: TimeInterval) {
    made = 1
    super.init(url: url, cachePolicy: cachePolicy, timeoutInterval: timeoutInterval)
  }

  required init?(coder: NSCoder) { super.init(coder: coder) }
}

final class LabelledRequest: NSURLRequest {
  var label = "label"
}

final class OwnCookie: HTTPCookie, @unchecked Sendable {
  override init?(properties: [HTTPCookiePropertyKey: Any]) { super.init(properties: properties) }
}

final class OwnCredential: URLCredential, @unchecked Sendable {
  var uses = 0
}

final class OwnCredentialStorage: URLCredentialStorage, @unchecked Sendable {
  override init() { super.init() }
}

final class OwnMetrics: URLSessionTaskMetrics, @unchecked Sendable {
  let name: String

  init(name: String) {
    self.name = name
    super.init()
  }
}
