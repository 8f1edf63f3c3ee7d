import Foundation
import URLLoading

/// Loads from a server that wants Negotiate, with a KDC that says nothing, and other things meanwhile in the same session.
///
/// | line | meaning |
/// | --- | --- |
/// | `challenged COUNT` | so many loads have been told to log in |
/// | `others HTTP OWN FILE` | how many loads of another server, of a class of the program's own and of a file were done then, of 64 each |
/// | `timed out CODE` | what a load has ended with, that was told to log in and had three seconds |
/// | `cancelled CODE` | what one of those above has ended with, that was cancelled |
/// | `ended COUNT` | how many of those above have ended by then: that one |
/// | `all cancelled COUNT` | how many of the others have ended as cancelled |
enum SilentKDCCommand {
  private static let othersCount = 64

  static func run(login: String, other: String, file: String, count: String) async {
    guard let login = URL(string: login), let other = URL(string: other), let count = Int(count) else {
      return say("no URL")
    }
    let delegate = LoginDelegate()
    let session = Self.session(delegate)
    var challenges = delegate.challenges.makeAsyncIterator()
    let endings = Endings()
    let waiting = (0..<count).map { _ in
      Task {
        let code = await load(login, in: session)
        await endings.add()
        return code
      }
    }
    for _ in 0..<count { _ = await challenges.next() }
    say("challenged \(count)")

    async let plain = successes(other, in: session)
    async let own = successes(BlockingProtocol.url, in: session)
    async let files = successes(URL(fileURLWithPath: file), in: session)
    say("others \(await plain) \(await own) \(await files)")

    let hasty = Self.session(delegate, timeout: 3)
    let code = await load(login, in: hasty)
    // It was waiting for the token, not for the server.
    _ = await challenges.next()
    say("timed out \(code)")

    waiting[0].cancel()
    say("cancelled \(await waiting[0].value)")
    say("ended \(await endings.count)")

    var cancelled = 0
    for task in waiting.dropFirst() { task.cancel() }
    for task in waiting.dropFirst() {
      if await task.value == URLError.Code.cancelled.rawValue { cancelled += 1 }
    }
    say("all cancelled \(cancelled)")
  }

  private static func session(_ delegate: LoginDelegate, timeout: TimeInterval = 600) -> URLSession {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.connectionProxyDictionary = [:]
    configuration.urlCache = nil
    configuration.protocolClasses = [BlockingProtocol.self]
    configuration.timeoutIntervalForRequest = timeout
    return URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
  }

  /// - Returns: the code of the error; 0 for a load that was done.
  private static func load(_ url: URL, in session: URLSession) async -> Int {
    do {
      _ = try await session.data(from: url)
      return 0
    } catch {
      return (error as NSError).code
    }
  }

  private static func successes(_ url: URL, in session: URLSession) async -> Int {
    await withTaskGroup(of: Int.self) { group in
      for _ in 0..<othersCount { group.addTask { await load(url, in: session) } }
      return await group.reduce(0) { $1 == 0 ? $0 + 1 : $0 }
    }
  }

  /// Counts loads that have ended.
  private actor Endings {
    private(set) var count = 0

    func add() { count += 1 }
  }

  /// Logs in to whoever wants Negotiate, and tells of that.
  private final class LoginDelegate: NSObject, URLSessionTaskDelegate, Sendable {
    let challenges: AsyncStream<Void>
    private let told: AsyncStream<Void>.Continuation

    override init() {
      (challenges, told) = AsyncStream<Void>.makeStream()
      super.init()
    }

    func urlSession(
      _ session: URLSession, didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
      guard challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodNegotiate else {
        return (.performDefaultHandling, nil)
      }
      told.yield()
      return (.useCredential, URLCredential(user: "", password: "", persistence: .none))
    }
  }

  /// A class of the program's own, which is called on threads that it may block.
  private final class BlockingProtocol: URLProtocol {
    static let url = URL(string: "own:///x") ?? URL(fileURLWithPath: "/")

    override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "own" }

    override func startLoading() {
      client?.urlProtocol(
        self, didReceive: URLResponse(url: Self.url, mimeType: nil, expectedContentLength: 0, textEncodingName: nil),
        cacheStoragePolicy: .notAllowed)
      client?.urlProtocolDidFinishLoading(self)
    }
  }
}
