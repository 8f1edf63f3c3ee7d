import OpenCombine

/// What a subscription to the pieces of a body does next.
///
/// One piece is read ahead of the demand, so that the end is known when the last one was taken. Every event may come at any time, from
/// any thread, also from inside of what it caused.
struct BytesSubscriptionMachine<Piece> {
  private enum Phase {
    /// Nothing was demanded.
    case idle
    case reading
    /// A piece was read that is not demanded; nothing is read.
    case holding(Piece)
    /// The subscriber is given a piece; nothing is read.
    case delivering
    case ended
  }

  private var phase = Phase.idle
  private var demand = Subscribers.Demand.none

  enum DemandAction {
    /// Start to read.
    case read
    case deliver(Piece)
    case nothing
  }

  /// The subscriber demands so many pieces more.
  mutating func demanded(_ more: Subscribers.Demand) -> DemandAction {
    guard more > .none else { return .nothing }
    switch phase {
    case .idle:
      demand += more
      phase = .reading
      return .read
    case .holding(let piece):
      demand += more
      deliver()
      return .deliver(piece)
    case .reading, .delivering:
      demand += more
      return .nothing
    case .ended: return .nothing
    }
  }

  enum PieceAction {
    case deliver(Piece)
    /// Nothing is to be read before there is a demand.
    case stop
  }

  /// A piece was read.
  mutating func read(_ piece: Piece) -> PieceAction {
    guard case .reading = phase else { return .stop }
    guard demand > .none else {
      phase = .holding(piece)
      return .stop
    }
    deliver()
    return .deliver(piece)
  }

  /// Whether the piece that is on its way to the subscriber may still get there.
  var isDelivering: Bool { if case .delivering = phase { true } else { false } }

  enum DeliveryAction { case read, stop }

  /// The subscriber has taken a piece, and demands more.
  mutating func delivered(_ more: Subscribers.Demand) -> DeliveryAction {
    guard case .delivering = phase else { return .stop }
    demand += more
    phase = .reading
    return .read
  }

  enum EndAction { case complete, nothing }

  /// There are no more pieces.
  mutating func finished() -> EndAction {
    if case .ended = phase { return .nothing }
    phase = .ended
    return .complete
  }

  /// The subscriber wants nothing more.
  mutating func cancelled() {
    phase = .ended
  }

  private mutating func deliver() {
    demand -= 1
    phase = .delivering
  }
}
