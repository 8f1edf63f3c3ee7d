#if !PEER
import Foundation
import Measuring
import URLLoading

/// Loads by HTTP/3, where the variable `HTTP` is `3`.
enum HTTP3 {
  static let isWanted = ProcessInfo.processInfo.environment["HTTP"] == "3"

  static func configure(_ configuration: URLSessionConfiguration) {
    if isWanted { configuration.network.maximumHTTPVersion = .http3 }
  }

  /// Has a session connect by HTTP/3; fails where it does not, so that nothing else is measured.
  static func begin(with request: URLRequest, in session: URLSession) async throws {
    guard isWanted else { return }
    let delegate = Protocols()
    // The first connection of a process may lose its head start.
    for _ in 0..<5 {
      var head = request
      head.httpMethod = "HEAD"
      _ = try await session.data(for: head, delegate: delegate)
      if delegate.last == "h3" { return }
    }
    throw Work.Misuse(description: "HTTP/3 was asked for, and \(delegate.last ?? "nothing") was used")
  }

  /// Mutable state: `names`, guarded by `lock`; that is what makes it safe to share.
  private final class Protocols: NSObject, URLSessionTaskDelegate, @unchecked Sendable {
    private let lock = NSLock()
    private var names: [String] = []

    var last: String? { lock.withLock { names.last } }

    func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
      lock.withLock { names += metrics.transactionMetrics.compactMap(\.networkProtocolName) }
    }
  }
}
#endif
