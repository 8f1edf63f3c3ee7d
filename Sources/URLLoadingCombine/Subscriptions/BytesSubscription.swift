import Foundation
import OpenCombine
import URLLoading
internal import URLLoadingBase

/// A subscription to the body of a load, piece by piece.
///
/// An asynchronous task reads while there is a demand, and calls the subscriber on the session's delegate queue, one call at a time.
///
/// Mutable state: `state`, guarded by its lock. The subscriber is called without the lock.
final class BytesSubscription: Subscription, CustomStringConvertible, Sendable {
  typealias Downstream = AnyDownstream<BodyReader.Piece>

  private struct State {
    var machine = BytesSubscriptionMachine<BodyReader.Piece>()
    /// Released at the end, and the reader with it, which cancels its load.
    var downstream: Downstream?
    var reader: BodyReader?
    /// Reads, or has ended.
    var reading: Task<Void, Never>?
  }

  private let state: Locked<State>
  private let session: URLSession

  var description: String { "BytesPublisher" }

  init(request: URLRequest, session: URLSession, downstream: Downstream) {
    self.session = session
    state = Locked(State(downstream: downstream, reader: BodyReader(request: request, session: session)))
  }

  func request(_ demand: Subscribers.Demand) {
    switch state.withLock({ $0.machine.demanded(demand) }) {
    case .read: start(with: nil)
    case .deliver(let piece): start(with: piece)
    case .nothing: break
    }
  }

  func cancel() {
    let released = state.withLock { state in
      state.machine.cancelled()
      return (state.reading.take(), state.reader.take(), state.downstream.take())
    }
    released.0?.cancel()
    withExtendedLifetime(released) {}
  }

  private func start(with piece: BodyReader.Piece?) {
    guard let reader = state.withLock({ $0.reader }) else { return }
    let task = Task.detached { await self.run(reader, piece) }
    let isCancelled = state.withLock { state in
      guard state.reader != nil else { return true }
      state.reading = task
      return false
    }
    // Cancelled, or at its end already.
    if isCancelled { task.cancel() }
  }

  /// Reads while there is a demand.
  /// - Parameter piece: what was read before, and is delivered first.
  private func run(_ reader: BodyReader, _ piece: BodyReader.Piece?) async {
    if let piece, await !deliver(piece) { return }
    do {
      while let piece = try await reader.next() {
        guard case .deliver(let piece) = state.withLock({ $0.machine.read(piece) }), await deliver(piece) else {
          return
        }
      }
      finish(.finished)
    } catch {
      finish(.failure(URLError(ofLoad: error)))
    }
  }

  /// Gives the subscriber a piece.
  /// - Returns: whether to read on.
  private func deliver(_ piece: BodyReader.Piece) async -> Bool {
    await withUnsafeContinuation { continuation in
      session.delegateQueue.addOperation { continuation.resume(returning: self.give(piece)) }
    }
  }

  private func give(_ piece: BodyReader.Piece) -> Bool {
    guard let downstream = state.withLock({ $0.machine.isDelivering ? $0.downstream : nil }) else { return false }
    let more = downstream.receive(piece)
    return state.withLock { $0.machine.delivered(more) } == .read
  }

  private func finish(_ completion: Subscribers.Completion<URLError>) {
    session.delegateQueue.addOperation {
      let (downstream, reader) = self.state.withLock { state -> (Downstream?, BodyReader?) in
        guard case .complete = state.machine.finished() else { return (nil, nil) }
        state.reading = nil
        return (state.downstream.take(), state.reader.take())
      }
      withExtendedLifetime(reader) { downstream?.complete(completion) }
    }
  }
}
