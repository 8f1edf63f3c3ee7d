/// The requests of a connection: which wait, which are under way, and which reply belongs to which. A value that does no I/O.
///
/// Requests wait in a queue until the executor has room for them. As many as ``maximumUnderWay`` are under way at once, and their replies
/// may come in any order. `Context` is what the caller keeps for a request until its end.
struct RequestTable<Context> {
  enum Phase: Hashable, Sendable {
    /// The channel is not open; requests wait.
    case unopened
    /// The server has not said its version; requests wait.
    case negotiating
    case ready
    case closed
  }

  private struct Entry {
    var request: SFTPRequest
    let context: Context
  }

  private(set) var phase = Phase.unopened
  private(set) var extensions: Set<ServerExtension> = []

  /// The largest number of requests under way at once.
  let maximumUnderWay: Int

  /// Requests in the order in which they are sent. Those before `waitingStart` were sent, and are nil.
  private var waiting: [Entry?] = []
  private var waitingStart = 0
  private var underWay: [UInt32: Entry] = [:]
  private var nextIdentifier: UInt32

  /// Makes the table of a connection that is not open.
  /// - Parameter firstIdentifier: of the first request; identifiers begin again at 0 after the largest.
  init(maximumUnderWay: Int = 2048, firstIdentifier: UInt32 = 0) {
    self.maximumUnderWay = max(1, maximumUnderWay)
    nextIdentifier = firstIdentifier
  }

  var waitingCount: Int { waiting.count - waitingStart }
  var underWayCount: Int { underWay.count }

  /// Whether ``nextRequest()`` has one.
  var canSend: Bool { phase == .ready && waitingCount > 0 && underWay.count < maximumUnderWay }

  // MARK: Beginning and end

  /// The channel is open.
  /// - Returns: whether the version has to be sent.
  mutating func open() -> Bool {
    guard phase == .unopened else { return false }
    phase = .negotiating
    return true
  }

  /// - Returns: false where the connection has ended.
  mutating func received(version: UInt32, extensions: Set<ServerExtension>) throws(WireViolation) -> Bool {
    switch phase {
    case .closed: return false
    case .unopened, .ready: throw .unexpectedPacket(PacketType.version.rawValue)
    case .negotiating: break
    }
    // A server answers with the smaller of both sides' versions (section 4).
    guard version == SFTPRequest.protocolVersion else { throw .unsupportedVersion(version) }
    phase = .ready
    self.extensions = extensions
    return true
  }

  /// The connection has ended, for whatever reason.
  /// - Returns: requests without a reply, in order: the server may have carried out the sent ones, and not the others.
  mutating func close() -> (sent: [Context], unsent: [Context]) {
    phase = .closed
    // The oldest is the one furthest behind the next identifier, also when identifiers began again at 0 since.
    let sent = underWay.sorted { $0.key &- nextIdentifier < $1.key &- nextIdentifier }.map(\.value.context)
    let unsent = waiting[waitingStart...].compactMap { $0?.context }
    underWay = [:]
    waiting = []
    waitingStart = 0
    return (sent, unsent)
  }

  // MARK: Requests

  /// - Returns: false where the connection has ended: the request is not kept.
  mutating func submit(_ request: SFTPRequest, _ context: Context) -> Bool {
    guard phase != .closed else { return false }
    waiting.append(Entry(request: request, context: context))
    return true
  }

  /// The next request to send, with the identifier of its reply; nil while there is none, or none may be sent.
  mutating func nextRequest() -> (identifier: UInt32, request: SFTPRequest)? {
    guard canSend, var entry = waiting[waitingStart] else { return nil }
    waiting[waitingStart] = nil
    waitingStart += 1
    if waitingStart == waiting.count || (waitingStart >= 64 && waitingStart * 2 >= waiting.count) {
      waiting.removeFirst(waitingStart)
      waitingStart = 0
    }
    // An old request may still wait for its reply when all identifiers were used once.
    while underWay[nextIdentifier] != nil { nextIdentifier &+= 1 }
    defer { nextIdentifier &+= 1 }
    let request = entry.request
    // The bytes of a write are not needed any more.
    if request.type == .write { entry.request.fields = [] }
    underWay[nextIdentifier] = entry
    return (nextIdentifier, request)
  }

  // MARK: Replies

  /// A whole reply has come, which ends its request.
  /// - Parameter succeeds: for a status, whether it reports success.
  /// - Returns: nil where the connection has ended.
  mutating func received(
    _ reply: PacketType, succeeds: Bool = true, for identifier: UInt32
  ) throws(WireViolation) -> Context? {
    guard let entry = try entry(identifier) else { return nil }
    // A status of success in place of the answer itself is no reply.
    guard reply == entry.request.replyType || (reply == .status && !succeeds) else {
      throw .wrongReply(to: entry.request.type, got: reply)
    }
    underWay[identifier] = nil
    return entry.context
  }

  /// A reply to a read begins, with `count` bytes; the request ends with ``received(_:succeeds:for:)`` after them.
  /// - Returns: nil where the connection has ended.
  mutating func beganData(count: Int, for identifier: UInt32) throws(WireViolation) -> Context? {
    guard let entry = try entry(identifier) else { return nil }
    guard entry.request.type == .read, case .uint32(let asked)? = entry.request.fields.last else {
      throw .wrongReply(to: entry.request.type, got: .data)
    }
    guard count <= Int(asked) else { throw .tooMuchData(asked: asked, got: count) }
    return entry.context
  }

  private func entry(_ identifier: UInt32) throws(WireViolation) -> Entry? {
    if let entry = underWay[identifier] { return entry }
    guard phase == .closed else { throw .unknownIdentifier(identifier) }
    return nil
  }
}
