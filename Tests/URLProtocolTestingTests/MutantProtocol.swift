import Foundation
import URLLoading
import URLLoadingTestServers

@testable import URLLoadingMemoryScheme

/// A class with byte ranges and uploads that sends from a queue of its own; its URL's host names what it does wrong.
///
/// Mutable state: in `state`, which guards it; `queue` runs one step at a time.
class MutantProtocol: URLProtocol, @unchecked Sendable {
  struct State: Sendable {
    var isStopped = false
    /// A step is queued, or runs.
    var isStepping = false
    var next = 0
    var range = 0..<0
    var bytes = Data()
    /// Those of the instance before this one.
    var strangers = Data()
  }

  static let pieceSize = 64 << 10
  private static let questions = Watched(0)
  private static let latest = Watched(Data())

  let state = Watched(State())
  let queue = DispatchQueue(label: "mutant")

  var fault: Fault { request.url.flatMap { Self.fault(of: $0) } ?? .none }

  private static func fault(of url: URL) -> Fault? { url.host(percentEncoded: false).flatMap { Fault(rawValue: $0) } }

  override class func canInit(with request: URLRequest) -> Bool {
    guard let url = request.url, url.scheme == "mutant" else { return false }
    guard fault(of: url) == .takesOnlyEverySecond else { return true }
    return questions.update { count in
      count += 1
      return count % 2 == 0
    }
  }

  override class var capabilities: Capabilities { [.byteRanges, .upload, .nonblocking] }

  var sessionClient: (any URLProtocolSessionClient)? { client as? any URLProtocolSessionClient }

  /// Asked before each piece; the gate's observer resumes the sender, and may be called later than the gate closes.
  private var isOpen: Bool {
    fault == .ignoresPause || fault == .sendsAfterStop || sessionClient?.gate.isOpen ?? true
  }

  override func startLoading() {
    if fault == .hangsInStart { Self.hang() }
    sessionClient?.gate.observe { [weak self] isOpen in self?.follow(isOpen) }
    queue.async { self.begin() }
  }

  override func stopLoading() {
    if fault == .hangsInStop { Self.hang() }
    state.update { $0.isStopped = true }
    // For longer than anybody waits for it.
    if fault == .stays { DispatchQueue.global().asyncAfter(deadline: .now() + 30) { self.queue.async {} } }
  }

  private func follow(_ isOpen: Bool) {
    guard !isOpen else { return schedule() }
    if fault == .losesPieceWhenPaused { state.update { $0.next += Self.pieceSize } }
  }

  private static func hang() { Thread.sleep(forTimeInterval: 15) }

  // MARK: Loading

  private func begin() {
    if let body = sessionClient?.urlProtocolUploadBody(self), request.httpMethod == "PUT" || fault == .storesByGet {
      return store(body)
    }
    guard let item = MutantStore.item(at: request.url) else { return failMissing() }
    if fault == .loadsOnlyOnce, item.loads > 1 {
      return fail(URLError(.cannotOpenFile, message: "It was loaded before.", url: request.url))
    }
    guard respond(item) else { return }
    if fault == .mixesInstances {
      let strangers = Self.latest.update { latest in
        defer { latest = item.bytes }
        return latest
      }
      state.update { $0.strangers = strangers }
    }
    schedule()
  }

  private func failMissing() {
    switch fault {
    case .missingIsEmpty:
      report(validators: ResourceValidators(), length: 0, range: nil)
      client?.urlProtocolDidFinishLoading(self)
    case .missingHasOtherCode:
      fail(URLError(.cannotOpenFile, message: "No \(request.url?.path ?? "")", url: request.url))
    case .missingHasNoURL: fail(URLError(.fileDoesNotExist, message: "Not found.", url: nil))
    case .missingQuotesQuery:
      fail(URLError(.fileDoesNotExist, message: "No \(request.url?.absoluteString ?? "").", url: request.url))
    default: fail(URLError(.fileDoesNotExist, message: "No \(request.url?.path ?? "").", url: request.url))
    }
  }

  func fail(_ error: URLError) { client?.urlProtocol(self, didFailWithError: error) }

  func schedule() {
    let isNeeded = state.update { state in
      guard isOpen, !state.isStepping, !state.isStopped || fault == .sendsAfterStop else { return false }
      state.isStepping = true
      return true
    }
    if isNeeded { queue.async { self.step() } }
  }

  private func step() {
    let piece = state.update { state -> Data? in
      state.isStepping = false
      guard !state.isStopped || fault == .sendsAfterStop, isOpen else { return nil }
      let size = fault == .onePiece ? .max : Self.pieceSize
      let start = min(state.next, state.range.upperBound)
      let end = state.range.upperBound - start > size ? start + size : state.range.upperBound
      state.next = end
      return state.bytes[start..<end]
    }
    guard var piece else { return }
    guard !piece.isEmpty else { return finish() }
    if fault == .mixesInstances { piece = state.value.strangers.dropFirst(piece.startIndex).prefix(piece.count) }
    client?.urlProtocol(self, didLoad: piece)
    schedule()
  }

  private func finish() {
    client?.urlProtocolDidFinishLoading(self)
    switch fault {
    case .dataAfterFinish: client?.urlProtocol(self, didLoad: Data("more".utf8))
    case .finishesTwice: client?.urlProtocolDidFinishLoading(self)
    case .failsAfterFinish: fail(URLError(.networkConnectionLost))
    default: break
    }
  }
}
