/// Speaks SFTP version 3 over a channel: carries out what ``RequestTable`` decides.
///
/// Requests may be made before the channel is open; they wait. Each closure is called exactly once, with the result of its request (a
/// read's once a piece), on the connection's thread, and may make further requests.
///
/// Mutable state: all stored properties, confined to the connection's thread.
// Safe to share: the state is touched on the connection's thread only.
final class SFTPClient: SSHChannelUser, @unchecked Sendable {
  /// Takes the result of a request.
  typealias Reply<Value> = (Result<Value, SFTPFailure>) -> Void

  enum ReadEvent {
    /// A piece of the reply; valid during the call.
    case bytes(UnsafeRawBufferPointer)
    /// The reply is whole. It may be shorter than was asked for.
    case end
    /// At the end of the file this is the status `endOfFile`.
    case failed(SFTPFailure)
  }

  enum Completion {
    case status(Reply<Void>)
    case handle(Reply<RemoteHandle>)
    case names(Reply<[RemoteName]>)
    case attributes(Reply<FileAttributes>)
    case limits(Reply<ServerLimits>)
    case read((ReadEvent) -> Void)

    fileprivate var replyType: PacketType {
      switch self {
      case .status: .status
      case .handle: .handle
      case .names: .name
      case .attributes: .attributes
      case .limits: .extendedReply
      case .read: .data
      }
    }

    fileprivate func fail(_ failure: SFTPFailure) {
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

  /// Bytes up to which requests are encoded for one send; the rest waits as requests.
  private static let outgoingCount = 256 << 10
  /// The longest packet that every server takes (draft-ietf-secsh-filexfer-02, section 3).
  private static let portablePacketLength: UInt64 = 34_000
  private static let portableDataLength = 32_768
  /// Open files and directories that a server without `limits@openssh.com` is taken to allow.
  private static let portableHandleCount = 64

  private var table = RequestTable<Completion>()
  private var assembler = PacketAssembler()
  private let outgoing = SendQueue()
  private var limits: ServerLimits?
  /// The read whose bytes are coming in.
  private var receivingRead: (identifier: UInt32, receive: (ReadEvent) -> Void)?
  /// Files and directories that may be open at once.
  private(set) var handleLimit = portableHandleCount
  private var handleCount = 0
  private var waitingOpens: [OpenWaiter] = []
  private var copies = CopyQueue()
  private var isStartingCopies = false
  /// The server has said that it renames no file.
  var refusesRename = false
  private var closeReason: (any Error)?
  private var pendingWorkCount = 0
  /// Called once, when no work is pending any more.
  var onIdle: (() -> Void)?
  private let onEnd: @Sendable (SFTPFailure) -> Void
  private let onReady: @Sendable () -> Void

  private struct OpenWaiter {
    let type: PacketType
    let fields: [SFTPRequest.Field]
    let willSend: () -> Bool
    let reply: Reply<RemoteHandle>
  }

  /// Makes a client whose channel is not open yet.
  /// - Parameters:
  ///   - onReady: called when the server has said its version.
  ///   - onEnd: called when the channel has closed, or the server has violated the protocol; then the connection's owner has to close
  ///     it.
  init(
    onReady: @escaping @Sendable () -> Void = {}, onEnd: @escaping @Sendable (SFTPFailure) -> Void = { _ in }
  ) {
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

  /// Whether one more file or directory may be opened without waiting.
  var canOpen: Bool { handleCount < handleLimit }

  private var largestPacket: UInt64 {
    // Bounds the memory that a server can make us use.
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
        // A reply's closure may have ended the conversation.
        guard !isClosed else { return }
        try receive(piece)
      }
    } catch {
      end(error)
    }
  }

  var bytesToSend: UnsafeRawBufferPointer {
    // A packet that is partly sent has to stay in place.
    if outgoing.isEmpty {
      while outgoing.count < Self.outgoingCount, let (identifier, request) = table.nextRequest() {
        request.encode(identifier: identifier, into: outgoing)
      }
    }
    return outgoing.front
  }

  func channelDidSend(_ count: Int) { outgoing.removeFirst(count) }

  /// The requests bound what comes.
  var wantsToReceive: Bool { true }

  func channelDidClose(_ error: (any Error)?) { end(error) }

  /// Ends the conversation: all requests fail.
  func end(_ reason: (any Error)?) {
    guard !isClosed else { return }
    closeReason = reason
    let (sent, unsent) = table.close()
    outgoing.removeAll()
    receivingRead = nil
    let waiters = waitingOpens
    waitingOpens = []
    let waitingCopies = copies.end()
    // First, so that a load that tries again does not get this connection.
    onEnd(.connectionLost(reason: reason, wasSent: false))
    for completion in sent { completion.fail(.connectionLost(reason: reason, wasSent: true)) }
    for completion in unsent { completion.fail(.connectionLost(reason: reason, wasSent: false)) }
    for waiter in waiters { waiter.reply(.failure(.connectionLost(reason: reason, wasSent: false))) }
    for reply in waitingCopies { reply(.failure(.connectionLost(reason: reason, wasSent: false))) }
  }

  // MARK: Work that outlives its load

  /// Whether closing the connection now would leave work, such as the removal of a temporary file, undone.
  var isBusy: Bool { pendingWorkCount > 0 }

  /// Keeps the connection open until ``endWork()``, even if its load has ended.
  func beginWork() { pendingWorkCount += 1 }

  func endWork() {
    pendingWorkCount -= 1
    guard !isBusy, let action = onIdle else { return }
    onIdle = nil
    action()
  }

  // MARK: Sending

  func submit(_ type: PacketType, _ fields: [SFTPRequest.Field], _ completion: Completion) {
    let request = SFTPRequest(type: type, replyType: completion.replyType, fields: fields)
    guard UInt64(request.encodedCount) <= largestPacket else {
      return completion.fail(.requestTooLong(request.encodedCount))
    }
    guard table.submit(request, completion) else {
      return completion.fail(.connectionLost(reason: closeReason, wasSent: false))
    }
  }

  /// Opens a file or directory, as soon as the server may have one more open.
  /// - Parameter willSend: called at that time; false withdraws the request, and nothing more is called.
  func submitOpen(
    _ type: PacketType, _ fields: [SFTPRequest.Field], willSend: @escaping () -> Bool,
    _ reply: @escaping Reply<RemoteHandle>
  ) {
    guard !isClosed else { return reply(.failure(.connectionLost(reason: closeReason, wasSent: false))) }
    waitingOpens.append(OpenWaiter(type: type, fields: fields, willSend: willSend, reply: reply))
    openWaiting()
  }

  /// A file or directory is not open any more.
  func releaseHandle() {
    handleCount -= 1
    openWaiting()
  }

  private func openWaiting() {
    while !waitingOpens.isEmpty, canOpen {
      // Any number may be withdrawn: those are removed in one step, and without recursion.
      let count = waitingOpens.count
      let index = waitingOpens.firstIndex { $0.willSend() }
      guard !isClosed else { return }
      let next = index.map { waitingOpens[$0] }
      waitingOpens.removeFirst(index.map { $0 + 1 } ?? count)
      guard let next else { continue }
      handleCount += 1
      submit(
        next.type, next.fields,
        .handle { [weak self] result in
          if case .failure = result { self?.releaseHandle() }
          next.reply(result)
        })
    }
  }

  // MARK: Copies

  /// Whether a copy of so many bytes may begin without waiting.
  func canCopy(_ length: UInt64) -> Bool { copies.canBegin(length, handleLimit) }

  /// Waits until one more copy may hold its source open while it opens what it writes. Where that succeeds, ``endCopy(_:)`` has to follow.
  func beginCopy(_ length: UInt64, _ reply: @escaping Reply<Void>) {
    guard !isClosed else { return reply(.failure(.connectionLost(reason: closeReason, wasSent: false))) }
    copies.add(length, reply)
    startCopies()
  }

  func endCopy(_ length: UInt64) {
    copies.ended(length)
    startCopies()
  }

  private func startCopies() {
    // A copy that is not wanted any more ends at once, and comes here again.
    guard !isStartingCopies else { return }
    isStartingCopies = true
    while let reply = copies.next(handleLimit) { reply(.success(())) }
    isStartingCopies = false
  }

  // MARK: Receiving

  private func receive(_ piece: PacketAssembler.Piece) throws(WireViolation) {
    switch piece {
    case .packet(let packet): try receive(try SFTPReply(packet))
    case .dataBegins(let identifier, let count):
      if case .read(let receive)? = try table.beganData(count: count, for: identifier) {
        receivingRead = (identifier, receive)
      }
    case .data(let bytes, let isLast):
      guard let (identifier, receive) = receivingRead else { return }
      if !bytes.isEmpty { receive(.bytes(bytes)) }
      guard isLast, !isClosed else { return }
      receivingRead = nil
      _ = try table.received(.data, for: identifier)
      receive(.end)
    }
  }

  private func receive(_ reply: SFTPReply) throws(WireViolation) {
    switch reply {
    case .version(let version, let extensions):
      if try table.received(version: version, extensions: extensions) { didAgree() }
    case .status(let identifier, let status):
      let completion = try table.received(.status, succeeds: status.code == .ok, for: identifier)
      if status.code == .ok, case .status(let reply)? = completion {
        reply(.success(()))
      } else {
        completion?.fail(.status(status))
      }
    case .handle(let identifier, let handle):
      if case .handle(let reply)? = try table.received(.handle, for: identifier) { reply(.success(handle)) }
    case .names(let identifier, let names):
      if case .names(let reply)? = try table.received(.name, for: identifier) { reply(.success(names)) }
    case .attributes(let identifier, let attributes):
      if case .attributes(let reply)? = try table.received(.attributes, for: identifier) { reply(.success(attributes)) }
    case .limits(let identifier, let limits):
      if case .limits(let reply)? = try table.received(.extendedReply, for: identifier) { reply(.success(limits)) }
    }
  }

  private func didAgree() {
    if has(.limits) {
      submit(
        .extended, [.string(ServerExtension.limits.bytes[...])],
        .limits { [weak self] result in
          // Without an answer the portable limits stay.
          guard let self, case .success(let limits) = result else { return }
          self.limits = limits
          handleLimit = limits.openHandles == 0 ? 1024 : Int(min(max(1, limits.openHandles), 1024))
          openWaiting()
        })
    }
    onReady()
  }
}
