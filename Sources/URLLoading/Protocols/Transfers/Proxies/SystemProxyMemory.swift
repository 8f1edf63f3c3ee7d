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

  /// The answer; nil where the question has to be asked, or is pending.
  func known(_ origin: String, at now: MonotonicInstant) -> [ProxyServer?]? {
    if case .known(let proxies, let until) = entries[origin], now < until { return proxies }
    if case .asked = entries[origin] { return nil }
    return pauseEnd.map { now < $0 } == true ? [nil] : nil
  }

  mutating func ask(_ origin: String, _ waiter: Waiter, at now: MonotonicInstant) -> Action {
    if let proxies = known(origin, at: now) { return .answer(proxies) }
    if case .asked(let number, let waiting) = entries[origin] {
      entries[origin] = .asked(number, waiting + [waiter])
      return .wait
    }
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
