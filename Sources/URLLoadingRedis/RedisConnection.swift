import Foundation
import URLLoading
internal import URLLoadingBase
internal import URLLoadingCHiredis
internal import URLLoadingCurlTransport

/// A connection to Redis by hiredis, on the loop that moves all bytes. Commands of all loads share it, one after another.
///
/// Mutable state: all of it, touched on the loop's thread alone; that is what makes it safe to share. Other threads post to the loop.
final class RedisConnection: @unchecked Sendable {
  typealias Completion = @Sendable (RedisReply?) -> Void

  /// A command's completion on its way through hiredis.
  private final class Waiting {
    let connection: RedisConnection
    let completion: Completion
    /// Whether the link knows of it.
    let isCounted: Bool

    init(_ connection: RedisConnection, isCounted: Bool, _ completion: @escaping Completion) {
      self.connection = connection
      self.isCounted = isCounted
      self.completion = completion
    }
  }

  private let address: RedisAddress
  private let loop = EventLoop.shared
  private var link: RedisLink
  private var queued: [(RedisCommand, Completion)] = []
  private var context: UnsafeMutablePointer<redisAsyncContext>?
  private var interest: SocketInterest = []
  private var isTimerSet = false
  /// Which of a name's addresses is tried: each failure moves on to the next one.
  private var tries = 0

  private static let resolver = BlockingPool(name: "URLLoading names", maximumThreadCount: 1)

  /// - Parameter timeout: how long an answer may take.
  init(_ address: RedisAddress, timeout: Duration) {
    self.address = address
    link = RedisLink(timeout: timeout, pause: .seconds(1))
  }

  /// Sends a command.
  /// - Parameters:
  ///   - bytes: how much the answer may have.
  ///   - completion: called on the loop's thread with the answer; nil where there is none, at once where there is no such thread.
  func send(_ command: RedisCommand, expecting bytes: Int64 = 0, completion: @escaping Completion) {
    // Work that is posted to a loop that cannot be started waits, and a load waits for this.
    guard loop.start() == 0 else { return completion(nil) }
    loop.execute { self.request(command, expecting: bytes, completion) }
  }

  /// Ends the connection; what waits has no answer.
  func close() {
    loop.execute { if let context = self.context { redisAsyncFree(context) } }
  }

  // MARK: Commands

  private func request(_ command: RedisCommand, expecting bytes: Int64, _ completion: @escaping Completion) {
    switch link.requested(at: .now, moving: Int64(command.bytes.count) + bytes) {
    case .refuse: return completion(nil)
    case .send: transmit(command, completion)
    case .queue: queued.append((command, completion))
    case .connect:
      queued.append((command, completion))
      connect()
    }
    lookAtDeadline()
  }

  private func transmit(_ command: RedisCommand, isCounted: Bool = true, _ completion: @escaping Completion) {
    guard let context else { return completion(nil) }
    let waiting = Unmanaged.passRetained(Waiting(self, isCounted: isCounted, completion))
    let result = command.bytes.withUnsafeBytes { bytes in
      redisAsyncFormattedCommand(
        context, { _, reply, waiting in RedisConnection.answered(reply, waiting) }, waiting.toOpaque(),
        bytes.bindMemory(to: CChar.self).baseAddress, bytes.count)
    }
    guard result != REDIS_OK else { return }
    waiting.release()
    completion(nil)
  }

  private static func answered(_ reply: UnsafeMutableRawPointer?, _ waiting: UnsafeMutableRawPointer?) {
    guard let waiting else { return }
    let call = Unmanaged<Waiting>.fromOpaque(waiting).takeRetainedValue()
    // Without a reply the connection is ending.
    guard let reply else { return call.completion(nil) }
    if call.isCounted { call.connection.link.gotAnswer() }
    call.completion(RedisReply(reply.assumingMemoryBound(to: redisReply.self)))
  }

  // MARK: Connecting

  private func connect() {
    switch address.place {
    case .path(let path): open(redisAsyncConnectUnix(path))
    case .host(let host, let port):
      let number = tries
      Self.resolver.run {
        let found = Self.numericAddresses(of: host)
        self.loop.execute {
          // A deadline may have passed meanwhile.
          guard self.context == nil, !self.queued.isEmpty else { return }
          guard !found.isEmpty else { return self.fail() }
          self.open(redisAsyncConnect(found[number % found.count], Int32(port)))
        }
      }
    }
  }

  private static func numericAddresses(of host: String) -> [String] {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
    defer { freeaddrinfo(list) }
    return sequence(first: list, next: { $0?.pointee.ai_next }).compactMap { entry in
      guard let entry else { return nil }
      var name = [CChar](repeating: 0, count: Int(NI_MAXHOST))
      let result = getnameinfo(
        entry.pointee.ai_addr, entry.pointee.ai_addrlen, &name, socklen_t(name.count), nil, 0, NI_NUMERICHOST)
      return result == 0 ? name.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } } : nil
    }
  }

  private func open(_ opened: UnsafeMutablePointer<redisAsyncContext>?) {
    guard let opened else { return fail() }
    guard opened.pointee.err == REDIS_OK else {
      redisAsyncFree(opened)
      return fail()
    }
    context = opened
    url_loading_redis_limit(opened)
    let own = Unmanaged.passRetained(self).toOpaque()
    opened.pointee.data = own
    opened.pointee.ev.data = own
    opened.pointee.ev.addRead = { RedisConnection.at($0).wait(for: .readable, true) }
    opened.pointee.ev.delRead = { RedisConnection.at($0).wait(for: .readable, false) }
    opened.pointee.ev.addWrite = { RedisConnection.at($0).wait(for: .writable, true) }
    opened.pointee.ev.delWrite = { RedisConnection.at($0).wait(for: .writable, false) }
    opened.pointee.ev.cleanup = { RedisConnection.at($0).isGone() }
    redisAsyncSetConnectCallback(opened) { context, status in
      guard status == REDIS_OK, let data = context?.pointee.data else { return }
      RedisConnection.at(data).isConnected()
    }
  }

  private static func at(_ pointer: UnsafeMutableRawPointer?) -> RedisConnection {
    // What hiredis gives back is what `open` gave it, which is retained until `isGone`.
    Unmanaged<RedisConnection>.fromOpaque(pointer.unsafelyUnwrapped).takeUnretainedValue()
  }

  private func isConnected() {
    link.connected()
    let description = address.description
    for command in address.greeting {
      transmit(command, isCounted: false) { [weak self] reply in
        guard case .error(let message) = reply else { return }
        // In another database, or without a password, nothing is as it should be.
        if let self, let context { redisAsyncFree(context) }
        StorageWarning.write("Redis at \(description) refuses the connection: \(message)")
      }
    }
    for (command, completion) in exchange(&queued, with: []) { transmit(command, completion) }
  }

  /// hiredis frees the context. All commands that were sent have had no answer.
  private func isGone() {
    guard let context else { return }
    loop.watch(context.pointee.c.fd, for: [])
    let isFailure = !queued.isEmpty || link.waitingCount > 0
    self.context = nil
    interest = []
    if isFailure { fail() } else { link.closed(at: .now) }
    Unmanaged<RedisConnection>.fromOpaque(context.pointee.data.unsafelyUnwrapped).release()
  }

  private func fail() {
    tries += 1
    link.failed(at: .now)
    for (_, completion) in exchange(&queued, with: []) { completion(nil) }
  }

  // MARK: Waiting

  private func wait(for kind: SocketInterest, _ isWanted: Bool) {
    guard let context else { return }
    if isWanted { interest.insert(kind) } else { interest.remove(kind) }
    loop.watch(context.pointee.c.fd, for: interest) { [weak self] ready in self?.isReady(ready, context) }
  }

  private func isReady(_ ready: SocketInterest, _ context: UnsafeMutablePointer<redisAsyncContext>) {
    if ready.contains(.readable), self.context == context { redisAsyncHandleRead(context) }
    // The read may have ended the connection.
    if ready.contains(.writable), self.context == context { redisAsyncHandleWrite(context) }
  }

  private func lookAtDeadline() {
    guard !isTimerSet else { return }
    switch link.deadlineReached(at: .now) {
    case .none: break
    case .look(let deadline):
      isTimerSet = true
      let nanoseconds = max(0, deadline.nanoseconds - MonotonicInstant.now.nanoseconds)
      DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(Int(nanoseconds))) {
        self.loop.execute {
          self.isTimerSet = false
          self.lookAtDeadline()
        }
      }
    case .disconnect:
      if let context { redisAsyncFree(context) } else { fail() }
    }
  }
}
