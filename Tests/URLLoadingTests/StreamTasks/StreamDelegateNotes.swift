import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// Notes what a stream task reports.
final class StreamDelegateNotes: NSObject, URLSessionStreamDelegate, URLSessionDataDelegate, Sendable {
  // Safe to share: handed from the delegate to the test's thread once.
  struct Pair: @unchecked Sendable {
    let input: InputStream
    let output: OutputStream
  }

  let events = Watched<[String]>([])
  /// The same, once the task has ended, and that.
  let allEvents = Watched<[String]>([])
  let streams = Watched<Pair?>(nil)
  let successor = Watched<URLSessionStreamTask?>(nil)
  let spaces = Watched<[URLProtectionSpace]>([])
  private let end = Watched<(any Error)??>(nil)
  private let credential: URLCredential?
  private let trustsAll: Bool
  private let becomesStream: Bool

  init(credential: URLCredential? = nil, trustsAll: Bool = false, becomesStream: Bool = false) {
    self.credential = credential
    self.trustsAll = trustsAll
    self.becomesStream = becomesStream
  }

  /// The task's error, once it has ended.
  func completion() async throws -> (any Error)? {
    _ = try await eventually { self.end.value != nil }
    return end.value ?? URLError(.timedOut)
  }

  func urlSession(_ session: URLSession, readClosedFor streamTask: URLSessionStreamTask) {
    events.update { $0.append("readClosed") }
  }

  func urlSession(_ session: URLSession, writeClosedFor streamTask: URLSessionStreamTask) {
    events.update { $0.append("writeClosed") }
  }

  func urlSession(
    _ session: URLSession, streamTask: URLSessionStreamTask, didBecome inputStream: InputStream,
    outputStream: OutputStream
  ) {
    let pair = Pair(input: inputStream, output: outputStream)
    streams.update { $0 = pair }
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    completionHandler(becomesStream ? .becomeStream : .allow)
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didBecome streamTask: URLSessionStreamTask
  ) {
    successor.update { $0 = streamTask }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    spaces.update { $0.append(challenge.protectionSpace) }
    if trustsAll, let trust = challenge.protectionSpace.serverTrust {
      return completionHandler(.useCredential, URLCredential(trust: trust))
    }
    completionHandler(credential == nil ? .performDefaultHandling : .useCredential, credential)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    allEvents.update { $0 = events.value + ["end"] }
    end.update { $0 = .some(error) }
  }
}
