import Foundation
import URLLoading

/// Loads a URL with a delegate that is slow at first, and counts what it gets.
///
/// Mutable state: `count` and `isSlow`, touched on the session's serial queue alone.
// Safe to share: see above.
final class SlowReader: NSObject, URLSessionDataDelegate, @unchecked Sendable {
  private let done = DispatchSemaphore(value: 0)
  private var count: Int64 = 0
  private var slowCalls = 20

  static func run(url: String) {
    guard let url = URL(string: url) else { return say("no URL") }
    let reader = SlowReader()
    let session = URLSession(configuration: .ephemeral, delegate: reader, delegateQueue: nil)
    session.dataTask(with: url).resume()
    reader.done.wait()
    say("received \(reader.count)")
    say(PeakMemory.line)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    if slowCalls > 0 {
      slowCalls -= 1
      // Slow is what this delegate is for: the server sends what it can meanwhile.
      usleep(100_000)
    }
    count += Int64(data.count)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    if let error { say("failed: \(error)") }
    done.signal()
  }
}
