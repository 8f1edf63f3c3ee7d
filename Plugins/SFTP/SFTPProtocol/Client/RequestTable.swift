/// Which requests of a connection wait, are under way, and belong to which answer. A value that does no I/O.
///
/// Requests wait in a queue until the executor has room for them; so many are under way at once as ``maximumUnderWay`` allows, and
/// their answers may come in any order. `Context` is what the caller keeps for a request until its end.
struct RequestTable<Context> {
  /// The version that is spoken.
  static var protocolVersion: UInt32 { 3 }

  enum Phase: Hashable, Sendable {
    /// The channel is not open; requests wait.
    case unopened
    /// The server has not said its version; requests wait.
    case negotiating
    case ready
    case closed
  }

  /// A request's place, for taking it back before it was sent.
  struct Ticket: Hashable, Sendable {
    fileprivate let number: UInt64
  }

  enum SubmitAction {
    /// The request waits to be sent.
    case queued(Ticket)
    /// The connection has ended: nothing will come of it.
    case refuse(Context)
  }

  enum VersionAction: Hashable {
    /// Requests may be sent.
    case ready
    /// The connection has ended without a version.
    case ignore
    case violation(WireViolation)
  }

  enum ReplyAction {
    /// The request has ended with the answer.
    case complete(Context)
    /// The connection has ended already.
    case ignore
    /// The server does not keep to the protocol: the connection has to end.
    case violation(WireViolation)
  }

  private struct Entry {
    let request: SFTPRequest
    let context: Context
  }

  private(set) var phase = Phase.unopened
  private(set) var extensions: Set<ServerExtension> = []

  /// So many requests may be under way at once.
  let maximumUnderWay: Int

  /// The order in which waiting requests are sent; taken ones stay in front until half of it is gone.
  private var queue: [Ticket] = []
  private var queueStart = 0
  private var waiting: [Ticket: Entry] = [:]
  private var underWay: [UInt32: Entry] = [:]
  private var nextTicket: UInt64 = 0
  private var nextIdentifier: UInt32

  /// Makes the table of a connection that is not open.
  /// - Parameter firstIdentifier: of the first request; identifiers begin again at 0 after the largest.
  init(maximumUnderWay: Int = 2048, firstIdentifier: UInt32 = 0) {
    self.maximumUnderWay = max(1, maximumUnderWay)
    nextIdentifier = firstIdentifier
  }

  var waitingCount: Int { waiting.count }
  var underWayCount: Int { underWay.count }

  /// Whether ``nextRequest()`` has one.
  var canSend: Bool { phase == .ready && !waiting.isEmpty && underWay.count < maximumUnderWay }

  // MARK: Beginning and end

  /// The channel is open.
  /// - Returns: whether the version has to be sent.
  mutating func open() -> Bool {
    guard phase == .unopened else { return false }
    phase = .negotiating
    return true
  }

  mutating func received(version: UInt32, extensions: Set<ServerExtension>) -> VersionAction {
    switch phase {
    case .closed: return .ignore
    case .unopened, .ready: return .violation(.unexpectedPacket(PacketType.version.rawValue))
    case .negotiating: break
    }
    // A server answers with the smaller of both sides' versions (section 4).
    guard version == Self.protocolVersion else { return .violation(.unsupportedVersion(version)) }
    phase = .ready
    self.extensions = extensions
    return .ready
  }

  /// The connection has ended, for whatever reason.
  /// - Returns: what has no answer: the server may have done what was sent, and has not done the rest. In order.
  mutating func close() -> (sent: [Context], unsent: [Context]) {
    phase = .closed
    // The oldest is the one furthest behind the next identifier, whether or not they began again at 0 since.
    let sent = underWay.sorted { $0.key &- nextIdentifier < $1.key &- nextIdentifier }.map(\.value.context)
    let unsent = queue[queueStart...].compactMap { waiting[$0]?.context }
    underWay = [:]
    waiting = [:]
    queue = []
    queueStart = 0
    return (sent, unsent)
  }

  // MARK: Requests

  mutating func submit(_ request: SFTPRequest, _ context: Context) -> SubmitAction {
    guard phase != .closed else { return .refuse(context) }
    let ticket = Ticket(number: nextTicket)
    nextTicket &+= 1
    queue.append(ticket)
    waiting[ticket] = Entry(request: request, context: context)
    return .queued(ticket)
  }

  /// Takes a request back.
  /// - Returns: its context; nil where it was sent, so that its answer will come.
  mutating func withdraw(_ ticket: Ticket) -> Context? {
    waiting.removeValue(forKey: ticket)?.context
  }

  /// The next request to send, with the identifier that its answer will have; nil while there is none, or none may be sent.
  mutating func nextRequest() -> (identifier: UInt32, request: SFTPRequest)? {
    guard phase == .ready, underWay.count < maximumUnderWay else { return nil }
    while queueStart < queue.count {
      let ticket = queue[queueStart]
      queueStart += 1
      defer { dropTaken() }
      guard let entry = waiting.removeValue(forKey: ticket) else { continue }
      // An old request may still wait for its answer when all identifiers were used once.
      while underWay[nextIdentifier] != nil { nextIdentifier &+= 1 }
      let identifier = nextIdentifier
      nextIdentifier &+= 1
      underWay[identifier] = Entry(request: entry.request.withoutContents, context: entry.context)
      return (identifier, entry.request)
    }
    return nil
  }

  private mutating func dropTaken() {
    if queueStart == queue.count {
      queue.removeAll(keepingCapacity: true)
    } else if queueStart >= 64, queueStart * 2 >= queue.count {
      queue.removeFirst(queueStart)
    } else {
      return
    }
    queueStart = 0
  }

  // MARK: Replies

  /// An answer came, whole.
  /// - Parameter succeeds: for a status, whether it says that all went well.
  mutating func received(_ reply: PacketType, succeeds: Bool = true, for identifier: UInt32) -> ReplyAction {
    let entry: Entry
    switch find(identifier) {
    case .success(let found): entry = found
    case .failure(let violation): return phase == .closed ? .ignore : .violation(violation)
    }
    // A status that says that all went well, without the answer itself, is none.
    let fits = reply == entry.request.replyType || (reply == .status && !succeeds)
    guard fits else { return .violation(.wrongReply(to: entry.request.type, got: reply)) }
    underWay[identifier] = nil
    return .complete(entry.context)
  }

  /// An answer to a read begins, with so many bytes; the request ends with ``received(_:succeeds:for:)`` after them.
  mutating func beganData(count: Int, for identifier: UInt32) -> ReplyAction {
    let entry: Entry
    switch find(identifier) {
    case .success(let found): entry = found
    case .failure(let violation): return phase == .closed ? .ignore : .violation(violation)
    }
    guard case .read(_, _, let asked) = entry.request else {
      return .violation(.wrongReply(to: entry.request.type, got: .data))
    }
    guard count <= Int(asked) else { return .violation(.tooMuchData(asked: asked, got: count)) }
    return .complete(entry.context)
  }

  private func find(_ identifier: UInt32) -> Result<Entry, WireViolation> {
    underWay[identifier].map { .success($0) } ?? .failure(.unknownIdentifier(identifier))
  }
}
