internal import URLLoadingBase
internal import URLLoadingHTTPSemantics

/// How long a stored response is fresh, and how old it is, both in seconds (RFC 9111, section 4.2). No date from outside makes either
/// negative, infinite or not a number.
struct Freshness: Sendable, Equatable {
  let lifetime: TimeInterval
  let age: TimeInterval

  var isFresh: Bool { lifetime > age }
  /// How long ago it ceased to be fresh.
  var staleness: TimeInterval { max(0, age - lifetime) }

  init(of head: StoredHead, _ directives: CacheDirectives, in kind: CacheRules.Kind, at now: Date) {
    let date = head.date
    lifetime = Self.lifetime(of: head, directives, kind, date)
    age = Self.age(of: head, date, now)
  }

  // MARK: - Lifetime

  /// The part of the time since the last modification for which a response is taken to be fresh that does not say how long it is
  /// (section 4.2.2), and the most that it can be: HTTP asked for a warning beyond one day (RFC 7234, section 5.5.4).
  private static let heuristicFraction = 0.1
  private static let heuristicLimit: TimeInterval = 86_400

  /// Status codes that are heuristically cacheable (RFC 9110, section 15.1; RFC 7725, section 3).
  static let heuristicStatusCodes: Set<Int> = [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 451, 501]

  /// Section 4.2.1.
  private static func lifetime(
    of head: StoredHead, _ directives: CacheDirectives, _ kind: CacheRules.Kind, _ date: Date
  ) -> TimeInterval {
    // Which of several counts is unknown: stale.
    guard !head.fields.single("Date").isConflict, !head.fields.single("Age").isConflict else { return 0 }
    if kind == .shared, let shared = directives.sharedMaxAge { return TimeInterval(shared.limit) }
    if let maxAge = directives.maxAge { return TimeInterval(maxAge.limit) }
    switch head.fields.single("Expires") {
    case .missing: break
    case .conflict: return 0
    case .value(let expires):
      // What is no date is in the past (section 5.3).
      return expiryDate(expires, now: head.responseDate).map { capped($0.timeIntervalSince(date)) } ?? 0
    }
    let isExplicit = directives.isPublic || kind == .private && directives.isPrivate != .nothing
    guard heuristicStatusCodes.contains(head.statusCode) || isExplicit,
      let modified = head.fields.single("Last-Modified").agreed.flatMap({
        HTTPDate.date(from: $0, now: head.responseDate)
      })
    else { return 0 }
    return min(capped(date.timeIntervalSince(modified)) * heuristicFraction, heuristicLimit)
  }

  /// A zone other than GMT makes a date invalid here (section 4.2).
  private static func expiryDate(_ field: String, now: Date) -> Date? {
    let text = field.trimmingFieldWhitespace
    guard !text.suffix(3).equalsIgnoringASCIICase("UTC") else { return nil }
    return HTTPDate.date(from: text, now: now)
  }

  // MARK: - Age

  /// How far a clock may have been set back before nobody knows how old a response is.
  private static let clockTolerance: TimeInterval = 60

  /// Section 4.2.3.
  private static func age(of head: StoredHead, _ date: Date, _ now: Date) -> TimeInterval {
    let resident = now.timeIntervalSince(head.responseDate)
    // As in a cache without a clock (section 4).
    guard resident >= -clockTolerance else { return TimeInterval(DeltaSeconds.infinity) }
    // The date has whole seconds, so that the fraction of the difference means nothing.
    let apparent = capped(head.responseDate.timeIntervalSince(date)).rounded(.down)
    let delay = capped(head.responseDate.timeIntervalSince(head.requestDate))
    let corrected = TimeInterval(ageField(head.fields)) + delay
    return capped(max(apparent, corrected) + capped(resident))
  }

  /// The first member counts; what is no number is ignored (section 5.1).
  private static func ageField(_ fields: HTTPFields) -> Int64 {
    let first = fields.single("Age").first?.split(separator: ",", omittingEmptySubsequences: false).first
    return first.flatMap { DeltaSeconds.parse($0.trimmingFieldWhitespace) } ?? 0
  }

  /// Between nothing and infinity (section 1.2.2).
  private static func capped(_ interval: TimeInterval) -> TimeInterval {
    interval > 0 ? min(interval, TimeInterval(DeltaSeconds.infinity)) : 0
  }
}
