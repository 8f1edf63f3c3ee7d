internal import URLLoadingBase
internal import URLLoadingCLinux

/// A running program that runs scripts, and the socket to it. Its calls block, and one thread at a time makes them.
///
/// Where a call throws, the process must not be used again. It is killed with this object, whatever its script does.
final class PACHelperProcess {
  private let socket: Int32
  private let process: pid_t
  private var received: [UInt8] = []
  /// When the conversation in progress has to be over, and what it may take.
  private var deadline = MonotonicInstant.distantFuture
  private var limit = Duration.zero
  private var isWaitedFor = false

  /// Starts the program, and waits until it is ready.
  init(path: String, limit: Duration) throws(PACFailure) {
    var sockets: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &sockets) == 0 else {
      throw .notStarted(path: path, reason: String(cString: strerror(errno)))
    }
    // What time it is where the user is, and where libraries are, is all that it needs to know.
    var environment: [UnsafeMutablePointer<CChar>?] = []
    for name: String in ["TZ", "LD_LIBRARY_PATH"] {
      guard let value = getenv(name) else { continue }
      environment.append(strdup("\(name)=\(String(cString: value))"))
    }
    environment.append(nil)
    defer { for variable in environment { free(variable) } }
    var process: pid_t = 0
    let error = start_helper(path, sockets[1], environment, &process)
    // Now: the end of the process is seen only where nobody else has its socket.
    close(sockets[1])
    guard error == 0 else {
      close(sockets[0])
      throw .notStarted(path: path, reason: String(cString: strerror(error)))
    }
    socket = sockets[0]
    self.process = process
    try greet(path: path, limit: limit)
  }

  deinit {
    close(socket)
    guard !isWaitedFor else { return }
    kill(process, SIGKILL)
    var status: Int32 = 0
    while waitpid(process, &status, 0) == -1, errno == EINTR {}
  }

  private func greet(path: String, limit: Duration) throws(PACFailure) {
    begin(limit)
    switch PACHelperProtocol.reply(try line()) {
    case .ready(PACHelperProtocol.version): return
    case .missing(let name): throw .noLibrary(name)
    default: throw .otherVersion(path: path)
    }
  }

  /// Has the script ready for questions.
  func load(_ script: String, limit: Duration) throws(PACFailure) {
    begin(limit)
    try send(PACHelperProtocol.command(script: script))
    switch PACHelperProtocol.reply(try line()) {
    case .ok: return
    case .error(let words): throw .script(words)
    default: throw .ended(signal: nil)
    }
  }

  /// What the script says to a question.
  func find(_ question: PACQuestion, limit: Duration) throws(PACFailure) -> String {
    begin(limit)
    try send(PACHelperProtocol.command(find: question))
    switch PACHelperProtocol.reply(try line()) {
    case .result(let text): return text
    case .error(let words): throw .script(words)
    default: throw .ended(signal: nil)
    }
  }

  // MARK: Bytes

  private func begin(_ limit: Duration) {
    self.limit = limit
    deadline = MonotonicInstant.now.advanced(by: limit)
  }

  private func send(_ bytes: [UInt8]) throws(PACFailure) {
    var sent = 0
    while sent < bytes.count {
      try wait(for: POLLOUT)
      // Without SIGPIPE, which would end the program.
      let count = bytes.withUnsafeBytes { bytes in
        Glibc.send(
          socket, bytes.baseAddress?.advanced(by: sent), bytes.count - sent,
          Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
      }
      if count > 0 {
        sent += count
      } else if errno != EINTR, errno != EAGAIN {
        throw end()
      }
    }
  }

  private func line() throws(PACFailure) -> String {
    while true {
      if let newline = received.firstIndex(of: UInt8(ascii: "\n")) {
        defer { received.removeSubrange(...newline) }
        return String(decoding: received[..<newline], as: UTF8.self)
      }
      guard received.count < PACHelperProtocol.lineLimit else { throw .ended(signal: nil) }
      try wait(for: POLLIN)
      var buffer = [UInt8](repeating: 0, count: 4096)
      let count = recv(socket, &buffer, buffer.count, Int32(MSG_DONTWAIT))
      if count > 0 {
        received += buffer[..<count]
      } else if count == 0 || (errno != EINTR && errno != EAGAIN) {
        throw end()
      }
    }
  }

  private func wait(for events: Int32) throws(PACFailure) {
    var entry = pollfd(fd: socket, events: Int16(events), revents: 0)
    while true {
      let left = MonotonicInstant.now.seconds(to: deadline)
      guard left > 0 else { throw .timedOut(Double(limit.wholeNanoseconds) / 1e9) }
      if poll(&entry, 1, Int32(min(left * 1000 + 1, 60_000))) > 0 { return }
    }
  }

  /// Why the process has closed its end. One that does so and stays gets a second.
  private func end() -> PACFailure {
    for _ in 0..<1000 {
      var status: Int32 = 0
      let result = waitpid(process, &status, WNOHANG)
      if result == process {
        isWaitedFor = true
        // The number of the signal, as WTERMSIG has it.
        return .ended(signal: status & 0x7f == 0 ? nil : status & 0x7f)
      }
      guard result == 0 || errno == EINTR else { break }
      usleep(1000)
    }
    return .ended(signal: nil)
  }
}
