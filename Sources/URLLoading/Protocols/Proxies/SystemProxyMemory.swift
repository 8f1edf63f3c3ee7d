internal import URLLoadingBase
internal import URLLoadingCurlTransport

/// A cache of the system's proxies by origin, which coalesces concurrent questions. A value without a clock.
struct SystemProxyMemory<Waiter: Sendable>: Sendable {
  enum Action: Sendable {
    case answer([ProxyServer?])
    /// The same question is pending.
    case wait
    /// The question has to be asked; the number is the question's.
    case begin(Int)
  }

  private enum Entry: Sendable {
    case asked(Int, [Waiter])
    case known([ProxyServer?], until: MonotonicInstant)
  }

  /// A change of the settings is noticed after this time; a page's hundred loads ask once.
  static var validity: Duration { .seconds(30) }
  /// How long nothing is asked after a question without an answer.
  static var pause: Duration { .seconds(30) }
  private static var limit: Int { 256 }

  private var entries: [String: Entry] = [:]
  private var pauseEnd: MonotonicInstant?
  private var questions = 0

  mutating func ask(_ origin: String, _ waiter: Waiter, at now: MonotonicInstant) -> Action {
    switch entries[origin] {
    case .known(let proxies, let until) where now < until: return .answer(proxies)
    case .asked(let number, let waiting):
      entries[origin] = .asked(number, waiting + [waiter])
      return .wait
    case .known, nil: break
    }
    if let pauseEnd, now < pauseEnd { return .answer([nil]) }
    if entries.count >= Self.limit {
      entries = entries.filter { if case .asked = $0.value { true } else { false } }
    }
    questions += 1
    entries[origin] = .asked(questions, [waiter])
    return .begin(questions)
  }

  /// - Returns: the waiters; none where the answer came too late.
  mutating func answered(
    _ number: Int, _ origin: String, _ proxies: [ProxyServer?], at now: MonotonicInstant
  ) -> [Waiter] {
    pauseEnd = nil
    let waiting = take(number, origin)
    if !waiting.isEmpty { entries[origin] = .known(proxies, until: now.advanced(by: Self.validity)) }
    return waiting
  }

  /// The deadline of the answer has passed.
  /// - Returns: the waiters.
  mutating func expired(_ number: Int, _ origin: String, at now: MonotonicInstant) -> [Waiter] {
    let waiting = take(number, origin)
    if !waiting.isEmpty { pauseEnd = now.advanced(by: Self.pause) }
    return waiting
  }

  private mutating func take(_ number: Int, _ origin: String) -> [Waiter] {
    guard case .asked(number, let waiting) = entries[origin] else { return [] }
    entries[origin] = nil
    return waiting
  }
}
