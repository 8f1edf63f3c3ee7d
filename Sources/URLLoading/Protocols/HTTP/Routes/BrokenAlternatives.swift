internal import URLLoadingBase
internal import URLLoadingCurlTransport
internal import URLLoadingHTTPSemantics

/// The origins whose alternative did not work, which is not tried for a time (RFC 7838, section 2.4): five minutes at first, and twice as
/// long each time, up to two days, as browsers do. A value without locks or clocks.
struct BrokenAlternatives {
  static let shortest = Duration.seconds(5 * 60)
  static let longest = Duration.seconds(2 * 86_400)
  /// Lost head starts in a row that count as a failure. One alone may be a slow network's.
  static let mostLostStarts = 2
  /// Connections in a row that die without an answer, which count as a failure. One alone says nothing of the next.
  static let mostLostPaths = 3
  /// How many origins it has at most.
  static let limit = 3000

  private struct Entry {
    /// From when on loads try anew.
    var end = MonotonicInstant(nanoseconds: .min)
    var failures = 0
    var lostStarts = 0
    var lostPaths = 0

    /// Whether a fault counts as a failure.
    mutating func counts(_ fault: QUICFault) -> Bool {
      switch fault {
      case .refused: return true
      case .headStartOver:
        lostStarts += 1
        return lostStarts >= BrokenAlternatives.mostLostStarts
      case .pathLost:
        lostPaths += 1
        return lostPaths >= BrokenAlternatives.mostLostPaths
      case .abandoned: return false
      }
    }
  }

  private var entries: [HTTPOrigin: Entry] = [:]

  init() {}

  var isEmpty: Bool { entries.isEmpty }

  /// Whether the alternative of an origin is not to be tried.
  func isBroken(_ origin: HTTPOrigin, at now: MonotonicInstant) -> Bool {
    entries[origin].map { now < $0.end } ?? false
  }

  /// Records that a request could not go by the alternative.
  mutating func record(_ fault: QUICFault, of origin: HTTPOrigin, at now: MonotonicInstant) {
    guard fault != .abandoned else { return }
    var entry = entries[origin] ?? Entry()
    // Loads that ran at the same time have all seen one failure.
    guard entry.end <= now else { return }
    guard entry.counts(fault) else { return put(entry, for: origin) }
    entry.end = now.advanced(by: min(Self.shortest * (1 << min(entry.failures, 10)), Self.longest))
    entry.failures += 1
    (entry.lostStarts, entry.lostPaths) = (0, 0)
    put(entry, for: origin)
  }

  /// Records that the alternative of an origin works.
  mutating func recordSuccess(of origin: HTTPOrigin) {
    entries[origin] = nil
  }

  /// Another network may let through what this one did not.
  mutating func networkChanged() { entries = [:] }

  private mutating func put(_ entry: Entry, for origin: HTTPOrigin) {
    // Makes room by that which ends first, or has.
    if entries[origin] == nil, entries.count >= Self.limit, let first = entries.min(by: { $0.value.end < $1.value.end })
    {
      entries[first.key] = nil
    }
    entries[origin] = entry
  }
}
