import URLLoading
internal import URLLoadingBase

/// The delegates of a session's `http` loads, one for each judge of connections.
///
/// Mutable state: `known`, guarded by its lock.
final class ExchangeDelegates: URLSessionComponent {
  private struct Known {
    let quiet = QuietDelegate()
    /// The least recently made first.
    var asking: [(judge: URLConnectionJudge?, delegate: AskingDelegate)] = []
  }

  /// Judges whose delegates are kept, so that their loads find their connections again.
  private static let most = 64

  private let known = Locked(Known())

  init(configuration: URLSessionConfiguration) {}

  func flush() {}

  func invalidate() {}

  /// The delegate of loads for which nobody can be asked.
  var quiet: any URLSessionTaskDelegate & ExchangeDelegate { known.withLock { $0.quiet } }

  func asking(for judge: URLConnectionJudge?) -> any URLSessionTaskDelegate & ExchangeDelegate {
    known.withLock { known in
      if let delegate = known.asking.first(where: { $0.judge == judge })?.delegate { return delegate }
      if known.asking.count >= Self.most { known.asking.removeFirst() }
      let delegate = AskingDelegate()
      known.asking.append((judge, delegate))
      return delegate
    }
  }
}
