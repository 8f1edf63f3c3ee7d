internal import URLLoadingBase

/// What a transfer by HTTP/3 waits for: its connection, where there is another way, and a sign of life on one that is used again. A value
/// without I/O.
///
/// QUIC has half of its head start where nothing has come back: then it is likely that datagrams are dropped on the way.
struct QUICWatch {
  /// After a request something comes within a round trip and 25 ms (RFC 9000, section 13.2.1), whatever the server is at.
  static let longestSilence = Duration.seconds(1)
  /// A request that must not be sent twice waits longer: the path may come back.
  static let longestHope = Duration.seconds(10)

  enum Action: Equatable {
    case nothing
    /// Looks again then, if nothing happens.
    case wait(until: MonotonicInstant)
    /// Uses the connection for no other request, and looks again then.
    case leave(lookingAgainAt: MonotonicInstant)
    case giveUp(QUICFault)
  }

  private enum State {
    case idle
    case connecting(since: MonotonicInstant, isSilent: Bool)
    /// Something has come back in the first half of the head start.
    case shakingHands
    /// A request was sent on a connection that has been used before.
    case listening(since: MonotonicInstant, turn: UInt64)
    /// The same, after the longest silence.
    case hoping(turn: UInt64)
    case over
  }

  /// Nil where there is no other way.
  private let headStart: Duration?
  private var state = State.idle
  /// When the request was sent that has no answer; nil for none.
  private var unansweredSince: MonotonicInstant?

  init(headStart: Duration?) {
    self.headStart = headStart
  }

  /// A socket is opened for the transfer: for its first request, or for one that libcurl sends again.
  mutating func connects(at now: MonotonicInstant) -> Action {
    guard let headStart else { return .nothing }
    switch state {
    // Of several addresses the first one counts.
    case .connecting, .shakingHands: return .nothing
    case .idle, .listening, .hoping, .over:
      state = .connecting(since: now, isSilent: true)
      return .wait(until: now.advanced(by: headStart / 2))
    }
  }

  /// A datagram has come on the transfer's socket.
  mutating func hears() {
    if case .connecting(let start, true) = state { state = .connecting(since: start, isSilent: false) }
  }

  /// The request is sent.
  /// - Parameters:
  ///   - isNew: whether on a connection that was made for it.
  ///   - turn: the last turn of the loop in which something may come that was sent before.
  mutating func requestBegins(isNew: Bool, turn: UInt64, at now: MonotonicInstant) -> Action {
    unansweredSince = now
    state = isNew ? .over : .listening(since: now, turn: turn)
    return .wait(until: isNew ? .distantFuture : now.advanced(by: Self.longestSilence))
  }

  /// An answer has come.
  mutating func answerCame() -> Action {
    unansweredSince = nil
    switch state {
    case .listening, .hoping:
      state = .over
      return .wait(until: .distantFuture)
    default: return .nothing
    }
  }

  /// Whether a request that ends now has waited in vain for longer than any sign takes: some libraries never send all of one, and what comes
  /// after it on the connection waits, too.
  func hasWaitedInVain(at now: MonotonicInstant) -> Bool {
    unansweredSince.map { $0.duration(to: now) >= Self.longestSilence } ?? false
  }

  /// The time that was waited for has come.
  /// - Parameters:
  ///   - lastTurn: the turn of the loop in which a datagram came last on the request's connection; nil for never.
  ///   - mayBeRepeated: whether the request may be sent a second time.
  mutating func deadlineIsReached(lastTurn: UInt64?, mayBeRepeated: Bool) -> Action {
    switch state {
    case .idle, .over: return .wait(until: .distantFuture)
    case .connecting(_, true):
      state = .over
      return .giveUp(.headStartOver(isSilent: true))
    case .connecting(let start, false):
      state = .shakingHands
      return .wait(until: start.advanced(by: headStart ?? .zero))
    case .shakingHands:
      state = .over
      return .giveUp(.headStartOver(isSilent: false))
    case .listening(let start, let turn):
      state = .over
      if let lastTurn, lastTurn > turn { return .wait(until: .distantFuture) }
      if mayBeRepeated { return .giveUp(.pathLost) }
      state = .hoping(turn: turn)
      return .leave(lookingAgainAt: start.advanced(by: Self.longestHope))
    case .hoping(let turn):
      state = .over
      if let lastTurn, lastTurn > turn { return .wait(until: .distantFuture) }
      return .giveUp(.pathLost)
    }
  }
}
