internal import URLLoadingHTTPSemantics

/// The resumption of an interrupted upload (draft-ietf-httpbis-resumable-upload): a value that is fed events and answers each with a
/// named action. No I/O, no clock, no locks.
///
/// The upload begins with the request of the task (*creation*). A server that supports this names a resource for it in
/// an interim response. From then on the upload recovers from an interruption: it asks for the offset (HEAD), and sends
/// the rest (PATCH), in parts if the server limits the size of a request.
struct ResumableUpload: Equatable, Sendable {
  /// The version of the draft, which both sides say, so that none mistakes the other's.
  static let interopVersion: Int64 = 8

  /// Interruptions in a row that are followed by another question, while the server gets nothing new.
  static let mostFutileAttempts = 5

  /// Some of the body, in a request of its own.
  struct Part: Equatable, Sendable {
    /// The first byte.
    var offset: Int64
    /// Nil for what there is, of a body whose length nobody knows.
    var length: Int64?
    var isLast: Bool

    /// The byte after the last; nil where nobody knows.
    var end: Int64? { length.map { offset + $0 } }
  }

  enum Action: Equatable, Sendable {
    /// What happened goes its usual way: a response is the upload's, a failure ends it.
    case proceed
    /// Give up the running request, and ask for the offset, after so long.
    case ask(after: Duration)
    /// Send a part.
    case append(Part)
    /// Ask whether the upload may go to this resource of another origin, and say so by ``allow(_:at:)`` or ``stay()``.
    case askLeave(URL)
    /// End the load.
    case fail(UploadFailure)
  }

  private enum Phase: Equatable {
    case creating, asking
    case appending(Part)
    /// The result is there, or the upload cannot be resumed.
    case over
  }

  /// Whether the upload may go to another origin.
  private enum Leave: Equatable {
    case unasked, refused
    /// To a resource that the server has named, and that is at `place`.
    case given(URL, place: URL)
  }

  private var phase = Phase.creating
  private var leave = Leave.unasked
  /// The upload's own resource; nil where the server has announced none.
  private(set) var resource: URL?
  private(set) var limits = UploadLimits()
  /// When the server forgets the upload; nil if it did not say.
  private(set) var expiry: Date?
  /// Bytes that the server has said to have. It keeps them (section 4.1.1).
  private(set) var acknowledged: Int64 = 0
  /// Of the whole body; nil where nobody knows.
  let length: Int64?
  private var futileAttempts = 0
  /// The status of a server error that the server is asked about: it may have been the result.
  private var serverError: Int?

  init(length: Int64?) {
    self.length = length
  }

  /// An upload that was begun before, by another task.
  init(length: Int64?, resource: URL, acknowledged: Int64, expiry: Date?) {
    self.length = length
    self.resource = resource
    self.acknowledged = acknowledged
    self.expiry = expiry
    phase = .asking
  }

  /// Whether the task's own request runs, or is about to.
  var isCreating: Bool { phase == .creating }

  /// The part that is being sent.
  var part: Part? {
    if case .appending(let part) = phase { return part }
    return nil
  }

  /// Whether the resource is of another origin than the server that has named it.
  var isElsewhere: Bool {
    if case .given(_, place: let place) = leave { resource == place } else { false }
  }

  /// Whether a later task may continue.
  func isResumable(at now: Date) -> Bool {
    resource != nil && phase != .over && expiry.map { $0 > now } ?? true
  }

  // MARK: Events

  /// An interim response with status 104.
  /// - Parameter url: the URL of the request that it answers.
  mutating func announced(_ answer: UploadAnswer, by url: URL, at now: Date) -> Action {
    guard answer.status == 104, answer.version == Self.interopVersion else { return .proceed }
    switch phase {
    case .creating:
      if let location = answer.location {
        guard var announced = Self.resource(location, announcedBy: url) else { return .proceed }
        if WebOrigin(announced) != WebOrigin(url) {
          if case .given(announced, place: let place) = leave {
            announced = place
          } else if leave == .refused {
            return .proceed
          } else if resource == nil {
            return .askLeave(announced)
          }
        }
        guard resource == nil || resource == announced else { return fail(.otherResource) }
        resource = announced
      }
      guard resource != nil else { return .proceed }
    case .appending: break
    case .asking, .over: return .proceed
    }
    if let failure = take(answer.limits, at: now) { return failure }
    if let offset = answer.offset {
      if let length, offset > length { return fail(.excess(has: offset, length: length)) }
      acknowledge(offset)
    }
    // A client that knows the limit sends no larger request (section 4.1.4): what has been sent of this one counts.
    if phase == .creating, let most = limits.maximumPartSize, let length, length > most {
      phase = .asking
      return .ask(after: .zero)
    }
    return .proceed
  }

  /// The upload may go to a resource of another origin.
  /// - Parameter place: where it is, if the owner knows better than the server.
  mutating func allow(_ named: URL, at place: URL) {
    leave = .given(named, place: place)
    if resource == named { resource = place }
  }

  /// The upload may not go to another origin: what the server announces there is of no use.
  mutating func stay() { leave = .refused }

  /// The task's own request is sent again, from its first byte, by the one that runs: a challenge was answered. What the server has
  /// announced was of a request that it refused, and the next may get another resource.
  mutating func restarted() {
    guard isCreating else { return }
    resource = nil
    acknowledged = 0
    limits = UploadLimits()
    expiry = nil
  }

  /// The running request failed for a reason that lies between client and server.
  mutating func interrupted(at now: Date) -> Action {
    guard isResumable(at: now), futileAttempts < Self.mostFutileAttempts else { return .proceed }
    // At once the first time, then after 1, 2, 4 and 8 seconds.
    let delay = futileAttempts == 0 ? Duration.zero : .seconds(1 << (futileAttempts - 1))
    futileAttempts += 1
    phase = .asking
    return .ask(after: delay)
  }

  /// The final response to the running request.
  /// - Parameter isWhole: whether the whole body was sent: what a server says then is the result of the upload.
  mutating func responded(_ answer: UploadAnswer, isWhole: Bool, at now: Date) -> Action {
    switch phase {
    case .creating: created(answer, isWhole: isWhole, at: now)
    case .asking: told(answer, at: now)
    case .appending(let part): appended(answer, part, at: now)
    case .over: .proceed
    }
  }

  // MARK: Responses

  private mutating func created(_ answer: UploadAnswer, isWhole: Bool, at now: Date) -> Action {
    if resource != nil, answer.isComplete != true {
      if answer.isServerError, !isWhole { return askAgain(after: answer.status, at: now) }
      if answer.status == 413, isTooLarge(for: answer) { return askAgain(at: now) }
    }
    if answer.isSuccess, answer.isComplete == false {
      return resource == nil ? fail(unfinished(answer)) : askAboutUnfinished(answer, at: now)
    }
    phase = .over
    return .proceed
  }

  /// The server was asked for the offset.
  private mutating func told(_ answer: UploadAnswer, at now: Date) -> Action {
    guard answer.isSuccess else {
      switch answer.status {
      case 404, 410: return fail(.gone(status: answer.status))
      case 408, 429, 500..<600:
        let action = interrupted(at: now)
        return action == .proceed ? .fail(UploadFailure(.refused(status: answer.status))) : action
      default: return .fail(UploadFailure(.refused(status: answer.status)))
      }
    }
    guard let offset = answer.offset else { return fail(.noOffset) }
    guard offset >= acknowledged else { return fail(.lostBytes(has: offset, had: acknowledged)) }
    if let length {
      // The offset may exceed the bytes sent here, if another client has sent more (section 4.3), but not the length.
      guard offset <= length else { return fail(.excess(has: offset, length: length)) }
      if let said = answer.length, said != length { return fail(.otherLength(said: said, length: length)) }
      if answer.isComplete == true, offset < length { return fail(.incomplete(has: offset, length: length)) }
    }
    acknowledge(offset)
    if answer.isComplete == true {
      if let serverError { return fail(.unknownResult(status: serverError)) }
      phase = .over
      return .proceed
    }
    return take(answer.limits, at: now) ?? append(from: offset)
  }

  private mutating func appended(_ answer: UploadAnswer, _ part: Part, at now: Date) -> Action {
    if answer.isComplete != true {
      if answer.isSuccess {
        // It must speak of the upload: the answer may be of somewhere that a redirect has led to.
        if let end = part.end, !part.isLast, answer.offset ?? end == end,
          answer.offset != nil || answer.isComplete == false
        {
          acknowledge(end)
          return take(answer.limits, at: now) ?? append(from: end)
        }
        // After the last part, a server without the field counts as complete; one that sends `?0` expects more.
        if !part.isLast || answer.isComplete == false { return askAboutUnfinished(answer, at: now) }
      }
      // The offset was another (section 4.4.2), the part too large, or the server is in trouble.
      if answer.status == 409 || answer.isServerError || answer.status == 413 && isTooLarge(for: answer) {
        return askAgain(after: answer.isServerError ? answer.status : nil, at: now)
      }
    }
    // It may have got the rest elsewhere, and would say so.
    if answer.isSuccess, answer.isComplete == true, !part.isLast, let length, answer.offset != length {
      return fail(.incomplete(has: answer.offset ?? part.end ?? acknowledged, length: length))
    }
    phase = .over
    return .proceed
  }

  /// A success status for an incomplete upload is a failure once the server can no longer be asked.
  private mutating func askAboutUnfinished(_ answer: UploadAnswer, at now: Date) -> Action {
    let action = askAgain(at: now)
    return action == .proceed ? fail(unfinished(answer)) : action
  }

  private func unfinished(_ answer: UploadAnswer) -> UploadFailure.Reason {
    .unfinished(status: answer.status, has: acknowledged, length: length)
  }

  /// Whether a request was refused for a size that the server tells the limit of.
  private mutating func isTooLarge(for answer: UploadAnswer) -> Bool {
    if let limits = answer.limits { self.limits = limits }
    guard let most = limits.maximumPartSize, let length else { return false }
    return part?.length ?? length > most
  }

  /// The response is the result once the attempts are exhausted.
  /// - Parameter serverError: the response's status, where it is one.
  private mutating func askAgain(after serverError: Int? = nil, at now: Date) -> Action {
    let action = interrupted(at: now)
    self.serverError = serverError
    if action == .proceed { phase = .over }
    return action
  }

  // MARK: Parts

  private mutating func append(from offset: Int64) -> Action {
    guard let length else {
      guard limits.maximumPartSize == nil else {
        return fail(.limits("the server limits the size of requests, and the length of the body is not known"))
      }
      return begin(Part(offset: offset, length: nil, isLast: true))
    }
    let rest = length - offset
    guard let most = limits.maximumPartSize, rest > most else {
      return begin(Part(offset: offset, length: rest, isLast: true))
    }
    guard most > 0, most >= limits.minimumPartSize ?? 0 else {
      return fail(.limits("the server takes no part of any size"))
    }
    return begin(Part(offset: offset, length: most, isLast: false))
  }

  private mutating func begin(_ part: Part) -> Action {
    phase = .appending(part)
    serverError = nil
    return .append(part)
  }

  // MARK: What the server says on the side

  private mutating func acknowledge(_ offset: Int64) {
    guard offset > acknowledged else { return }
    acknowledged = offset
    futileAttempts = 0
  }

  /// - Returns: the failure of an upload that the limits do not allow.
  private mutating func take(_ limits: UploadLimits?, at now: Date) -> Action? {
    guard let limits else { return nil }
    self.limits = limits
    // A date that resume data may hold.
    expiry = limits.lifetime.map { min(now.addingTimeInterval(Double($0)), .distantFuture) } ?? expiry
    guard let length, let refusal = limits.refusal(ofLength: length) else { return nil }
    return fail(.limits(refusal))
  }

  private mutating func fail(_ reason: UploadFailure.Reason) -> Action {
    phase = .over
    return .fail(UploadFailure(reason))
  }

  /// The place that a server names. Only one that a redirect from there might lead to: nothing local, and nothing less secure.
  private static func resource(_ location: String, announcedBy url: URL) -> URL? {
    guard let resolved = LocationReference(location)?.resolved(against: url), resolved.host?.isEmpty == false else {
      return nil
    }
    switch resolved.scheme?.lowercased() {
    case "https": return resolved
    case "http": return url.scheme?.lowercased() == "http" ? resolved : nil
    default: return nil
    }
  }
}
