import Foundation
import URLLoadingCurlTransport

/// A handler that notes everything, and lets a test wait for what it needs.
final class Recorder: TransferHandler {
  struct State: Sendable {
    var events: [String] = []
    var informational: [Int] = []
    var head: TransferHead?
    var body: [UInt8] = []
    var trailers: [(name: String, value: String)] = []
    var sent: [Int64] = []
    var result: Result<TransferMetrics, TransferFailure>?
    var pauses = 0
    /// Lengths of what came coalesced.
    var coalesced: [Int] = []

    var failure: TransferFailure? {
      if case .failure(let failure) = result { return failure }
      return nil
    }

    var metrics: TransferMetrics? {
      if case .success(let metrics) = result { return metrics }
      return nil
    }
  }

  private struct Waiter {
    var id: Int
    var condition: @Sendable (State) -> Bool
    var continuation: CheckedContinuation<State?, Never>
  }

  private struct Shared {
    var state = State()
    var waiters: [Waiter] = []
    var nextID = 0
  }

  struct TimedOut: Error {
    var events: [String]
  }

  /// Decides what becomes of bytes; called on the loop's thread.
  typealias FlowDecision = @Sendable (Transfer, UnsafeRawBufferPointer, State) -> TransferFlow

  private let shared = SharedValue(Shared())
  private let flow: FlowDecision?
  private let onHead: (@Sendable (Transfer) -> Void)?
  private let keepsBody: Bool
  private let takesCoalesced: (@Sendable (State) -> Bool)?

  init(
    keepsBody: Bool = true, onHead: (@Sendable (Transfer) -> Void)? = nil,
    takesCoalesced: (@Sendable (State) -> Bool)? = nil, flow: FlowDecision? = nil
  ) {
    self.takesCoalesced = takesCoalesced
    self.keepsBody = keepsBody
    self.onHead = onHead
    self.flow = flow
  }

  var state: State { shared.withLock { $0.state } }

  /// Waits until the condition holds. Throws after `seconds`.
  func wait(_ seconds: Double = 60, until condition: @escaping @Sendable (State) -> Bool) async throws -> State {
    let id = shared.withLock { shared in
      shared.nextID += 1
      return shared.nextID
    }
    let found: State? = await withCheckedContinuation { continuation in
      let immediate: State? = shared.withLock { shared in
        if condition(shared.state) { return shared.state }
        shared.waiters.append(Waiter(id: id, condition: condition, continuation: continuation))
        return nil
      }
      if let immediate { return continuation.resume(returning: immediate) }
      DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { [shared] in
        let waiter: Waiter? = shared.withLock { shared in
          guard let index = shared.waiters.firstIndex(where: { $0.id == id }) else { return nil }
          return shared.waiters.remove(at: index)
        }
        waiter?.continuation.resume(returning: nil)
      }
    }
    guard let found else { throw TimedOut(events: state.events) }
    return found
  }

  /// Waits for the end.
  func completion(_ seconds: Double = 60) async throws -> State {
    try await wait(seconds) { $0.result != nil }
  }

  private func update(_ change: (inout State) -> Void) {
    let ready: [(Waiter, State)] = shared.withLock { shared in
      change(&shared.state)
      let state = shared.state
      let ready = shared.waiters.filter { $0.condition(state) }
      if !ready.isEmpty { shared.waiters.removeAll { waiter in ready.contains { $0.id == waiter.id } } }
      return ready.map { ($0, state) }
    }
    for (waiter, state) in ready { waiter.continuation.resume(returning: state) }
  }

  func transferDidLeaveQueue(_ transfer: Transfer) {
    update { $0.events.append("queue") }
  }

  func transfer(_ transfer: Transfer, didReceiveInformational head: TransferHead) {
    update {
      $0.events.append("informational")
      $0.informational.append(head.statusCode)
    }
  }

  func transfer(_ transfer: Transfer, didReceive head: TransferHead) {
    update {
      $0.events.append("head")
      $0.head = head
    }
    onHead?(transfer)
  }

  func transfer(_ transfer: Transfer, didReceive bytes: UnsafeRawBufferPointer) -> TransferFlow {
    let decision = flow?(transfer, bytes, state) ?? .accepted
    update {
      switch decision {
      case .accepted:
        if $0.events.last != "body" { $0.events.append("body") }
        if keepsBody { $0.body += bytes.bindMemory(to: UInt8.self) }
      case .pause: $0.pauses += 1
      }
    }
    return decision
  }

  func transferTakesBody(_ transfer: Transfer) -> Bool {
    takesCoalesced?(state) ?? true
  }

  func transfer(_ transfer: Transfer, didCoalesce bytes: Data) {
    update {
      $0.coalesced.append(bytes.count)
      if $0.events.last != "body" { $0.events.append("body") }
      if keepsBody { $0.body += bytes }
    }
  }

  func transfer(_ transfer: Transfer, didReceiveTrailers fields: [(name: String, value: String)]) {
    update {
      $0.events.append("trailers")
      $0.trailers = fields
    }
  }

  func transfer(_ transfer: Transfer, didSendBodyBytes total: Int64) {
    update { $0.sent.append(total) }
  }

  func transfer(_ transfer: Transfer, didCompleteWith result: Result<TransferMetrics, TransferFailure>) {
    update {
      $0.events.append("complete")
      $0.result = result
    }
  }
}

extension TransferHead {
  /// The value of the first field with this name, in any case.
  func firstValue(of name: String) -> String? {
    fields.first { $0.name.lowercased() == name.lowercased() }?.value
  }
}
