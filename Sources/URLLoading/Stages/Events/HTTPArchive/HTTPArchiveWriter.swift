internal import URLLoadingBase
internal import URLLoadingHTTPSemantics

/// Writes what a session loads into a file, in the format HTTP Archive 1.2 (HAR), which browsers and many tools read.
///
/// ```swift
/// let archive = try HTTPArchiveWriter(file: URL(fileURLWithPath: "loads.har"))
/// configuration.sessionEventListener = archive
/// ```
///
/// There is an entry for each transaction: a redirect, a 304 and what the cache answers have entries of their own,
/// loads of other schemes too. It is written when the transaction is over, before the program hears of the end of the
/// task. The file is valid JSON at any moment, even if the process is killed; a hidden file is beside it until the
/// writer is released (`.loads.har.next`). Only their owner can read both. Memory use does not grow with the file.
/// Where another writer begins the same file anew, this one writes no more, and ``error`` says so.
/// A reader that two entries overtake may see the second one half written, and has to read the file again.
///
/// Passwords in URLs and the values of header fields and cookies that may be credentials are `***`, unless ``Options`` say otherwise.
/// Bodies are left out, as are their secrets; the query of a URL is written as it is.
///
/// Entries are written on the thread of the event, which may be the transfer loop: put the file on a fast disk.
///
/// Mutable state: `state`, guarded by its lock. The file is written under it, which blocks events of other loads;
/// entries are encoded outside it.
public final class HTTPArchiveWriter: URLSession.EventListener {
  /// What is written.
  public struct Options: Sendable {
    /// Whether passwords, cookies and credentials are written as they are; false unless set.
    public var includesSecrets = false
    /// How much of each body is written, in bytes; 0 unless set. It is held in memory until the transaction is over.
    public var maximumBodyLength = 0

    /// No secrets, no bodies.
    public init() {}
  }

  private struct State {
    /// Nil when the archive is closed.
    var file: HTTPArchiveFile?
    var running: [ObjectIdentifier: HTTPArchiveLoad] = [:]
    var error: HTTPArchiveError?
  }

  /// Whether bodies are written.
  public var wantsBodies: Bool { options.maximumBodyLength > 0 }

  private let options: Options
  private let formatter: HTTPArchiveFormatter
  private let state: Locked<State>

  /// Begins an archive, in the place of a file that is there.
  /// - Throws: ``HTTPArchiveError`` where the file cannot be made, or is no regular one.
  public init(file: URL, options: Options = Options()) throws {
    self.options = options
    formatter = HTTPArchiveFormatter(redacts: !options.includesSecrets, bodyLimit: max(0, options.maximumBodyLength))
    let creator = #"{"name":"URLLoading","version":"\#(PackageVersion.current)"}"#
    let header = #"{"log":{"version":"1.2","creator":\#(creator),"pages":[],"entries":["#
    state = Locked(State(file: try HTTPArchiveFile(path: file.path, header: Data(header.utf8))))
  }

  /// Why an entry could not be written, the first of them; nil while all could.
  public var error: HTTPArchiveError? { state.withLock { $0.error } }

  /// Ends the archive: what comes later is not written, and the hidden file beside it goes. The writer's release does the same.
  public func close() {
    state.withLock { $0.file = nil }
  }

  // MARK: Events

  /// Records why, for the entry of the stored response.
  public func task(_ task: URLSessionTask, didHitCache response: URLResponse, reason: URLSession.EventCacheReason) {
    update(task) { $0.cacheComment = "From the cache: \(reason)." }
  }

  /// Records that, for the entry of the stored response.
  public func task(_ task: URLSessionTask, didValidate answer: URLResponse) {
    update(task) { $0.cacheComment = "From the cache: the server says that it is right." }
  }

  /// Keeps what is to be written of the body.
  public func task(_ task: URLSessionTask, didReceiveBody bytes: Data) {
    let limit = max(0, options.maximumBodyLength)
    update(task) { $0.keep(bytes, limit: limit) }
  }

  /// Keeps what is known of the load under its new task.
  public func task(_ task: URLSessionTask, didBecome download: URLSessionDownloadTask) { rename(task, download) }

  /// Keeps what is known of the load under its new task.
  public func task(_ task: URLSessionTask, didBecome stream: URLSessionStreamTask) { rename(task, stream) }

  private func rename(_ task: URLSessionTask, _ successor: URLSessionTask) {
    state.withLock { $0.running[ObjectIdentifier(successor)] = $0.running.removeValue(forKey: ObjectIdentifier(task)) }
  }

  /// Writes the transaction before this one.
  public func task(_ task: URLSessionTask, didFinish transaction: URLSessionTaskTransactionMetrics) {
    // The last one of a load is written at its end, with the error if there is one.
    let before = state.withLock {
      $0.running[ObjectIdentifier(task), default: HTTPArchiveLoad()].finish(transaction)
    }
    if let before { write(before, nil) }
  }

  /// Writes the last transaction.
  public func task(_ task: URLSessionTask, didEnd outcome: URLSession.EventOutcome, metrics: URLSessionTaskMetrics) {
    let problem: String?
    switch outcome {
    case .succeeded: problem = nil
    case .failed(let error):
      problem = options.includesSecrets ? error.localizedDescription : Redaction.error(error)
    case .cancelled: problem = "The task was cancelled."
    }
    let last = state.withLock { $0.running.removeValue(forKey: ObjectIdentifier(task))?.finished }
    if let last { write(last, problem) }
  }

  // MARK: Writing

  /// Changes what is known of a load.
  private func update(_ task: URLSessionTask, _ body: (inout HTTPArchiveLoad) -> Void) {
    state.withLock { body(&$0.running[ObjectIdentifier(task), default: HTTPArchiveLoad()]) }
  }

  private func write(_ finished: HTTPArchiveLoad.Finished, _ problem: String?) {
    let comments = [finished.comment, problem].compactMap(\.self)
    let entry = formatter.entry(
      finished.transaction, body: finished.body, comment: comments.isEmpty ? nil : comments.joined(separator: " "))
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let text = try? encoder.encode(entry) else { return }
    state.withLock { state in
      do throws(HTTPArchiveError) {
        try state.file?.append(text)
      } catch {
        if state.error == nil { state.error = error }
      }
    }
  }
}
