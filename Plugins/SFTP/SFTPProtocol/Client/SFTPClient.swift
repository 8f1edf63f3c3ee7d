/// Speaks SFTP version 3 over a channel: carries out what ``RequestTable`` decides.
///
/// Everything here is called on the connection's thread, and answers come there. Requests may be made before the channel is
/// open; they wait. Any number may be under way; a closure is called exactly once with what became of its request (a read's
/// for every piece). Closures may make further requests.
///
/// Mutable state: all stored properties, confined to the connection's thread.
// Safe to share: the state is touched on the connection's thread only.
final class SFTPClient: SSHChannelUser, @unchecked Sendable {
  /// What becomes of a request.
  typealias Reply<Value> = (Result<Value, SFTPFailure>) -> Void

  /// What becomes of a read.
  enum ReadEvent {
    /// Bytes came; valid during the call. Several such events make one answer.
    case bytes(UnsafeRawBufferPointer)
    /// The answer is whole. It may be shorter than was asked for.
    case end
    /// There is no answer; at the end of the file it is a status that says so.
    case failed(SFTPFailure)
  }

  enum Completion {
    case status(Reply<Void>)
    case handle(Reply<RemoteHandle>)
    case names(Reply<[RemoteName]>)
    case attributes(Reply<FileAttributes>)
    case limits(Reply<ServerLimits>)
    case read((ReadEvent) -> Void)

    func fail(_ failure: SFTPFailure) {
      switch self {
      case .status(let reply): reply(.failure(failure))
      case .handle(let reply): reply(.failure(failure))
      case .names(let reply): reply(.failure(failure))
      case .attributes(let reply): reply(.failure(failure))
      case .limits(let reply): reply(.failure(failure))
      case .read(let receive): receive(.failed(failure))
      }
    }
  }

  /// Requests are put together for sending up to so many bytes; the rest waits as requests.
  private static let outgoingCount = 256 << 10
  /// The longest packet that every server takes (draft-ietf-secsh-filexfer-02, section 3).
  private static let portablePacketLength: UInt64 = 34_000
  private static let portableDataLength = 32_768
  /// Files and directories that may be open at once where a server does not say it.
  private static let portableHandleCount = 64

  private var table: RequestTable<Completion>
  private var assembler = PacketAssembler()
  private let outgoing = OutgoingBuffer()
  private var limits: ServerLimits?
  /// The read whose bytes are coming in.
  private var receivingRead: (identifier: UInt32, receive: (ReadEvent) -> Void)?
  private var handles = HandleAllowance(limit: portableHandleCount)
  private var waitingOpens: [OpenWaiter] = []
  private var closeReason: (any Error)?
  private var holdCount = 0
  private var cleanUps: [() -> Void] = []
  private let onEnd: @Sendable (SFTPFailure) -> Void
  private let onReady: @Sendable () -> Void

  private struct OpenWaiter {
    let request: SFTPRequest
    let willSend: () -> Bool
    let reply: Reply<RemoteHandle>
  }

  /// Makes a client whose channel is not open yet.
  /// - Parameters:
  ///   - onReady: the server has said its version.
  ///   - onEnd: the client is of no use any more, because the channel has gone or because the server does not keep to the
  ///     protocol; then whoever owns the connection has to close it.
  init(
    maximumUnderWay: Int = 2048, onReady: @escaping @Sendable () -> Void = {},
    onEnd: @escaping @Sendable (SFTPFailure) -> Void = { _ in }
  ) {
    table = RequestTable(maximumUnderWay: maximumUnderWay)
    self.onReady = onReady
    self.onEnd = onEnd
  }

  // MARK: What the server has

  var isClosed: Bool { table.phase == .closed }

  func has(_ name: ServerExtension) -> Bool { table.extensions.contains(name) }

  /// Bytes that one read may ask for.
  var largestRead: Int { Self.dataLength(limits?.readLength) }

  /// Bytes that one write may carry.
  var largestWrite: Int { min(Self.dataLength(limits?.writeLength), Int(clamping: largestPacket) - 1024) }

  /// Files and directories that may be open at once.
  var handleLimit: Int { handles.limit }

  /// Whether one more may be opened without waiting.
  var canOpen: Bool { handles.isAvailable }

  private var largestPacket: UInt64 {
    // What a server says is not trusted with more memory than we would take ourselves.
    guard let length = limits?.packetLength, length > 0 else { return Self.portablePacketLength }
    return min(max(length, 2048), UInt64(PacketAssembler.largestPacket))
  }

  private static func dataLength(_ limit: UInt64?) -> Int {
    guard let limit, limit > 0 else { return portableDataLength }
    return Int(min(limit, 256 << 10))
  }

  // MARK: The channel

  func channelDidOpen() {
    if table.open() { SFTPRequest.encodeInitialize(into: outgoing) }
  }

  func channelDidReceive(_ bytes: UnsafeRawBufferPointer) {
    guard !isClosed else { return }
    do {
      try assembler.receive(bytes) { (piece) throws(WireViolation) in
        // An answer's closure may have ended the conversation.
        guard !isClosed else { return }
        try receive(piece)
      }
    } catch {
      end(error)
    }
  }

  var bytesToSend: UnsafeRawBufferPointer {
    // What was begun is sent first; only then may the memory be written again.
    if outgoing.isEmpty {
      while outgoing.count < Self.outgoingCount, let (identifier, request) = table.nextRequest() {
        request.encode(identifier: identifier, into: outgoing)
      }
    }
    return outgoing.unsent
  }

  func channelDidSend(_ count: Int) {
    outgoing.didSend(count)
  }

  /// What comes is asked for, and bounded by what was asked for.
  var wantsToReceive: Bool { true }

  func channelDidClose(_ error: (any Error)?) {
    end(error)
  }

  /// Ends the conversation: all requests fail.
  func end(_ reason: (any Error)?) {
    guard !isClosed else { return }
    closeReason = reason
    let (sent, unsent) = table.close()
    outgoing.removeAll()
    receivingRead = nil
    let waiters = waitingOpens
    waitingOpens = []
    // First, so that who tries again because of it does not get this connection once more.
    onEnd(.connectionLost(reason: reason, wasSent: false))
    for completion in sent { completion.fail(.connectionLost(reason: reason, wasSent: true)) }
    for completion in unsent { completion.fail(.connectionLost(reason: reason, wasSent: false)) }
    for waiter in waiters { waiter.reply(.failure(.connectionLost(reason: reason, wasSent: false))) }
  }

  // MARK: What outlives its load

  /// Whether something has begun that would be left half if the connection were closed now.
  var isHeld: Bool { holdCount > 0 }

  /// Begins something that the server has to learn the end of, even if nobody waits for it any more; to be followed by ``letGo()``.
  func hold() { holdCount += 1 }

  /// It has come to its end.
  func letGo() {
    holdCount -= 1
    guard holdCount == 0 else { return }
    let cleanUps = cleanUps
    self.cleanUps = []
    for cleanUp in cleanUps { cleanUp() }
  }

  /// Removes a file that only this side knows of.
  func cleanUp(_ path: [UInt8], _ reply: @escaping Reply<Void> = { _ in }) {
    hold()
    remove(path) { [weak self] result in
      reply(result)
      self?.letGo()
    }
  }

  /// Whether something waits in ``whenFree(_:)``.
  var isRetiring: Bool { !cleanUps.isEmpty }

  /// Calls this when nothing is held any more.
  func whenFree(_ cleanUp: @escaping () -> Void) {
    if isHeld { cleanUps.append(cleanUp) } else { cleanUp() }
  }

  // MARK: Sending

  func submit(_ request: SFTPRequest, _ completion: Completion) {
    guard UInt64(request.encodedCount) <= largestPacket else {
      return completion.fail(.requestTooLong(request.encodedCount))
    }
    if case .refuse(let completion) = table.submit(request, completion) {
      completion.fail(.connectionLost(reason: closeReason, wasSent: false))
    }
  }

  /// Opens a file or directory, as soon as the server may have one more open.
  /// - Parameter willSend: called when it is so; false takes the request back, and nothing more is called.
  func submitOpen(_ request: SFTPRequest, willSend: @escaping () -> Bool, _ reply: @escaping Reply<RemoteHandle>) {
    guard !isClosed else { return reply(.failure(.connectionLost(reason: closeReason, wasSent: false))) }
    guard handles.take() else {
      return waitingOpens.append(OpenWaiter(request: request, willSend: willSend, reply: reply))
    }
    guard willSend() else { return releaseHandle() }
    submit(
      request,
      .handle { [weak self] result in
        if case .failure = result { self?.releaseHandle() }
        reply(result)
      })
  }

  /// A file or directory is not open any more.
  func releaseHandle() {
    handles.release()
    openWaiting()
  }

  private func openWaiting() {
    while !waitingOpens.isEmpty, handles.isAvailable {
      let waiter = waitingOpens.removeFirst()
      submitOpen(waiter.request, willSend: waiter.willSend, waiter.reply)
    }
  }

  // MARK: Receiving

  private func receive(_ piece: PacketAssembler.Piece) throws(WireViolation) {
    switch piece {
    case .packet(let packet): try receive(try SFTPReply(packet))
    case .dataBegins(let identifier, let count):
      let completion = try check(table.beganData(count: count, for: identifier))
      guard case .read(let receive)? = completion else { return }
      receivingRead = (identifier, receive)
    case .data(let bytes, let isLast):
      guard let (identifier, receive) = receivingRead else { return }
      if !bytes.isEmpty { receive(.bytes(bytes)) }
      guard isLast, !isClosed else { return }
      receivingRead = nil
      _ = try check(table.received(.data, for: identifier))
      receive(.end)
    }
  }

  private func receive(_ reply: SFTPReply) throws(WireViolation) {
    switch reply {
    case .version(let version, let extensions):
      switch table.received(version: version, extensions: extensions) {
      case .ready: didAgree()
      case .ignore: break
      case .violation(let violation): throw violation
      }
    case .status(let identifier, let status):
      let completion = try check(table.received(.status, succeeds: status.code == .ok, for: identifier))
      if status.code == .ok, case .status(let reply)? = completion {
        reply(.success(()))
      } else {
        completion?.fail(.status(status))
      }
    case .handle(let identifier, let handle):
      if case .handle(let reply)? = try check(table.received(.handle, for: identifier)) { reply(.success(handle)) }
    case .names(let identifier, let names):
      if case .names(let reply)? = try check(table.received(.name, for: identifier)) { reply(.success(names)) }
    case .attributes(let identifier, let attributes):
      if case .attributes(let reply)? = try check(table.received(.attributes, for: identifier)) {
        reply(.success(attributes))
      }
    case .limits(let identifier, let limits):
      if case .limits(let reply)? = try check(table.received(.extendedReply, for: identifier)) {
        reply(.success(limits))
      }
    }
  }

  private func check(_ action: RequestTable<Completion>.ReplyAction) throws(WireViolation) -> Completion? {
    switch action {
    case .complete(let completion): return completion
    case .ignore: return nil
    case .violation(let violation): throw violation
    }
  }

  private func didAgree() {
    if has(.limits) {
      submit(
        .limits,
        .limits { [weak self] result in
          // A server that announces its limits and then does not tell them is taken to have the portable ones.
          if case .success(let limits) = result { self?.learn(limits) }
        })
    }
    onReady()
  }

  private func learn(_ limits: ServerLimits) {
    self.limits = limits
    handles.limit = limits.openHandles == 0 ? 1024 : Int(min(max(1, limits.openHandles), 1024))
    openWaiting()
  }
}
