internal import URLLoadingBase

/// What a WebSocket task's owner asks for, and what becomes of it: a value that takes requests, what the connection brings and what
/// it takes, and answers with effects. No I/O, no clock, no locks; frames are ``WebSocketMachine``'s.
///
/// Receives and messages meet in their order, and so do pings and pongs. What is sent before the handshake is done waits for it. Once
/// the conversation is over every request fails, but for receives of messages that have come already.
struct WebSocketConversation: EffectMachine {
  typealias Message = URLSessionWebSocketTask.Message
  typealias CloseCode = URLSessionWebSocketTask.CloseCode
  typealias Receiver = @Sendable (Result<Message, any Error>) -> Void
  typealias Completion = @Sendable ((any Error)?) -> Void

  /// What has to be done outside.
  enum Effect {
    /// Calls who waited for a message.
    case received(Receiver, Result<Message, any Error>)
    /// Calls who sent a message or a ping.
    case completed(Completion, (any Error)?)
    /// There are bytes to send.
    case announce
    /// So many bytes of messages wait for the owner from now on.
    case buffered(Int)
    /// So many wait no longer.
    case consumed(Int)
    /// The handshake is done.
    case opened(protocol: String?)
    /// The peer sent a close frame.
    case closed(CloseCode, reason: Data?)
    /// The connection is about to be closed, and may take only so long over it.
    case expectEnd
    /// The connection is of no use any more.
    case end((any Error)?)
  }

  private enum Outgoing {
    case message(Message, Completion)
    case ping(Completion)
    case close(CloseCode?, reason: Data?)
  }

  private enum Phase {
    /// The handshake is not done.
    case connecting
    case open
    /// A close frame was sent; nothing follows it.
    case closing
    /// With the error of later requests.
    case over(any Error)
  }

  /// What a message costs that waits, beside its bytes: many small ones are a burden, too.
  static let overhead = 64

  private var phase = Phase.connecting
  /// In the order in which it was asked for, before the handshake is done.
  private var waiting: [Outgoing] = []
  private var machine: WebSocketMachine?
  private var receivers = FIFO<(identity: ObjectIdentifier?, receiver: Receiver)>()
  private var messages = FIFO<Message>()
  /// Bytes that wait in `messages`, with their overhead.
  private var waitingBytes = 0
  /// Who waits for the bytes up to a position to be taken.
  private var senders = FIFO<(end: UInt64, completion: Completion)>()
  private var pings = FIFO<(number: UInt64, completion: Completion)>()
  private var lastPing: UInt64 = 0
  /// What the connection takes next, and how much of it was taken.
  private var output = Data()
  private var outputStart = 0
  /// Counts of all bytes that were put out, and taken.
  private var producedBytes: UInt64 = 0
  private var takenBytes: UInt64 = 0
  /// The task is about to be cancelled, or is: why the connection ends, and why requests fail, whatever the peer does meanwhile.
  private var cancellation: URLError?
  /// What broke the protocol.
  private var receiveError: (any Error)?
  /// The connection ends as soon as what waits was taken.
  private var endsWhenTaken = false
  private(set) var closeCode = CloseCode.invalid
  private(set) var closeReason: Data?
  private var hasPeerClosed = false
  /// The owner has closed the connection: messages that have no room are dropped, for the peer's close frame to be seen.
  private var isLeaving = false
  private var effects: [Effect] = []
  /// The bytes of messages that may wait.
  private let limit: Int
  private let url: URL?
  /// In bytes; what is set before the connection stands holds as well.
  var maximumMessageSize = 1 << 20 {
    didSet { machine?.maximumMessageSize = maximumMessageSize }
  }

  init(limit: Int, url: URL?) {
    self.limit = max(1, limit)
    self.url = url
  }

  /// What is to be done since the last time, in this order.
  mutating func takeEffects() -> [Effect] {
    guard !effects.isEmpty else { return [] }
    return exchange(&effects, with: [])
  }

  // MARK: Requests of the owner

  /// - Parameter identity: tells the receiver apart from others that wait, of an object that exists as long as it waits; nil for one that
  ///   never stops waiting.
  mutating func receive(_ identity: ObjectIdentifier?, _ receiver: @escaping Receiver) {
    if let message = messages.popFirst() {
      effects.append(.received(receiver, .success(message)))
      return release(message)
    }
    if case .over(let error) = phase { return effects.append(.received(receiver, .failure(error))) }
    receivers.append((identity, receiver))
    pump()
  }

  /// A message that has come already, for who need not wait.
  mutating func takeMessage() -> Message? {
    guard let message = messages.popFirst() else { return nil }
    release(message)
    return message
  }

  /// Who waits for a message does so no longer.
  mutating func stopReceiving(_ identity: ObjectIdentifier) {
    guard let waiter = receivers.removeFirst(where: { $0.identity == identity }) else { return }
    effects.append(.received(waiter.receiver, .failure(CancellationError())))
  }

  mutating func send(_ message: Message, _ completion: @escaping Completion) {
    request(.message(message, completion))
  }

  mutating func ping(_ completion: @escaping Completion) {
    request(.ping(completion))
  }

  /// Asks the peer to close the connection, once all before has been sent.
  mutating func close(_ code: CloseCode?, reason: Data?) {
    request(.close(code, reason: reason))
  }

  /// As ``close(_:reason:)``, for a task that is about to be cancelled: later requests, and the connection's end, fail with
  /// `URLError.cancelled`.
  mutating func cancel() {
    cancellation = URLError(.cancelled, message: "The task was cancelled.", url: url)
    request(.close(nil, reason: nil))
  }

  private static let closing = URLError(.networkConnectionLost, message: "The WebSocket is being closed.", url: nil)

  private mutating func request(_ outgoing: Outgoing) {
    switch phase {
    case .connecting: waiting.append(outgoing)
    case .open: putOut(outgoing)
    case .closing: refuse(outgoing, cancellation ?? Self.closing)
    case .over(let error): refuse(outgoing, error)
    }
  }

  private mutating func refuse(_ outgoing: Outgoing, _ error: any Error) {
    switch outgoing {
    case .message(_, let completion), .ping(let completion): effects.append(.completed(completion, error))
    case .close: break
    }
  }

  private mutating func putOut(_ outgoing: Outgoing) {
    switch outgoing {
    case .message(let message, let completion):
      machine?.send(message)
      collectOutput()
      senders.append((producedBytes, completion))
    case .ping(let completion):
      lastPing += 1
      machine?.ping(withUnsafeBytes(of: lastPing.bigEndian) { Data($0) })
      collectOutput()
      pings.append((lastPing, completion))
    case .close(let code, let reason):
      machine?.close(code.map { UInt16(clamping: $0.rawValue) }, reason: reason)
      collectOutput()
      phase = .closing
      effects.append(.expectEnd)
      // The peer's close frame comes after what nobody may receive any more: that waits for nobody.
      isLeaving = true
      if waitingBytes > 0 { effects.append(.consumed(waitingBytes)) }
    }
  }

  // MARK: The connection

  /// The handshake is done.
  mutating func open(_ machine: consuming WebSocketMachine, protocol name: String?) {
    guard case .connecting = phase else { return }
    var machine = machine
    machine.maximumMessageSize = maximumMessageSize
    self.machine = machine
    phase = .open
    effects.append(.opened(protocol: name))
    for outgoing in exchange(&waiting, with: []) { request(outgoing) }
  }

  /// Bytes came.
  mutating func take(_ bytes: UnsafeRawBufferPointer) {
    if case .over = phase { return }
    machine?.receive(bytes)
    pump()
  }

  /// Copies bytes that are to be sent.
  /// - Returns: how many; nil where none ever come again.
  mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
    var count = 0
    while count < buffer.count {
      if outputStart == output.count {
        guard let next = machine?.takeOutput() else { break }
        output = next
        outputStart = 0
      }
      let length = min(buffer.count - count, output.count - outputStart)
      output.withUnsafeBytes {
        let source = UnsafeRawBufferPointer(rebasing: $0[outputStart..<outputStart + length])
        UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).copyMemory(from: source)
      }
      outputStart += length
      count += length
    }
    takenBytes += UInt64(count)
    while let first = senders.first, first.end <= takenBytes {
      effects.append(.completed(first.completion, nil))
      _ = senders.popFirst()
    }
    guard takenBytes == producedBytes else { return count }
    if outputStart == output.count, outputStart > 0 {
      output = Data()
      outputStart = 0
    }
    endIfTaken()
    if case .over = phase, count == 0 { return nil }
    return count
  }

  /// The connection has ended.
  /// - Parameter error: what broke it; nil where the peer closed it.
  /// - Returns: the task's error.
  mutating func connectionEnded(_ error: (any Error)?) -> (any Error)? {
    if let end = cancellation ?? receiveError { return end }
    if hasPeerClosed { return nil }
    if machine != nil { closeCode = .abnormalClosure }
    return error
      ?? URLError(
        .networkConnectionLost,
        message:
          "The connection ended without a close frame (RFC 6455, section 7.1.5).",
        url: url)
  }

  /// The peer has not closed the connection in the time that it had.
  /// - Returns: the task's error: why the connection was to end is why it ends.
  mutating func endIsOverdue() -> (any Error)? {
    if let end = cancellation ?? receiveError { return end }
    // It has sent its close frame, and does not take ours.
    if hasPeerClosed { return nil }
    closeCode = .abnormalClosure
    return URLError(
      .cancelled, message: "The task was cancelled, and the peer did not close the WebSocket.", url: url)
  }

  /// The task has ended: nothing more comes, and nothing more is put out. Messages that have come stay, but for a cancellation.
  mutating func end(_ error: any Error) {
    if case .over = phase { return }
    let error = cancellation ?? error
    phase = .over(error)
    if (error as? URLError)?.code == .cancelled { messages = FIFO() }
    for outgoing in exchange(&waiting, with: []) { refuse(outgoing, error) }
    while let waiter = receivers.popFirst() { effects.append(.received(waiter.receiver, .failure(error))) }
    while let sender = senders.popFirst() { effects.append(.completed(sender.completion, error)) }
    while let ping = pings.popFirst() { effects.append(.completed(ping.completion, error)) }
  }

  // MARK: Events of the machine

  /// Takes what the machine has, while there is room for messages.
  private mutating func pump() {
    while waitingBytes < limit || isLeaving, let event = machine?.nextEvent() {
      switch event {
      case .message(let message): take(message)
      case .pong(let payload): take(pong: payload)
      case .closed where isOver, .failed where isOver: machine = nil
      case .closed(let code, let reason):
        hasPeerClosed = true
        // Both have sent a close frame, or will have (section 5.5.1): nothing is left to be waited for.
        endsWhenTaken = true
        closeCode = CloseCode(rawValue: Int(code)) ?? .invalid
        closeReason = reason
        effects.append(.closed(closeCode, reason: reason))
        phase = .closing
        effects.append(.expectEnd)
      case .failed(let fault):
        receiveError = fault.error(url: url)
        closeCode = CloseCode(rawValue: Int(fault.code)) ?? .protocolError
        phase = .closing
        endsWhenTaken = true
        effects.append(.expectEnd)
      }
    }
    collectOutput()
    endIfTaken()
  }

  private var isOver: Bool {
    if case .over = phase { true } else { false }
  }

  /// Ends the connection where all that was to be done on it has been done.
  private mutating func endIfTaken() {
    guard endsWhenTaken, takenBytes == producedBytes else { return }
    endsWhenTaken = false
    effects.append(.end(cancellation ?? receiveError))
  }

  private mutating func take(_ message: Message) {
    if let waiter = receivers.popFirst() { return effects.append(.received(waiter.receiver, .success(message))) }
    guard !isLeaving || waitingBytes < limit else { return }
    messages.append(message)
    waitingBytes += message.cost
    if !isLeaving { effects.append(.buffered(message.cost)) }
  }

  /// Records that a message waits no longer: there may be room for others.
  private mutating func release(_ message: Message) {
    waitingBytes -= message.cost
    if !isLeaving { effects.append(.consumed(message.cost)) }
    pump()
  }

  /// A pong answers its ping and those before it (RFC 6455, section 5.5.3).
  private mutating func take(pong payload: Data) {
    guard payload.count == 8 else { return }
    let number = payload.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    while let first = pings.first, first.number <= number {
      effects.append(.completed(first.completion, nil))
      _ = pings.popFirst()
    }
  }

  /// Records what the machine has put out. The reader has to know only where it found nothing: else it reads on.
  private mutating func collectOutput() {
    guard let total = machine?.producedBytes, total != producedBytes else { return }
    if takenBytes == producedBytes { effects.append(.announce) }
    producedBytes = total
  }
}

extension URLSessionWebSocketTask.Message {
  /// What it counts for while it waits, in bytes.
  var cost: Int {
    switch self {
    case .data(let data): data.count + WebSocketConversation.overhead
    case .string(let text): text.utf8.count + WebSocketConversation.overhead
    }
  }
}
