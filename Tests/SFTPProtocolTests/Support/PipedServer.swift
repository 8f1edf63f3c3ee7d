import Foundation
import Glibc
import URLLoadingTestServers

@testable import SFTPProtocol

/// An `sftp-server` of OpenSSH behind two named pipes, and a thread that stands for an SSH connection: it calls a channel's user.
///
/// Mutable state: `work` with its own lock; the descriptors belong to the thread.
final class PipedServer: Sendable {
  static let program = "/usr/lib/openssh/sftp-server"

  private let user: SFTPClient
  private let directory: TemporaryDirectory
  private let process: ChildProcess
  /// Nil after the thread's end.
  private let work = Watched<[@Sendable () -> Void]?>([])
  private let afterwards = DispatchQueue(label: "piped server")
  /// A pipe whose bytes say that there is work.
  private let wakeUp: Int32
  private let isStopped = AsyncEvent()
  private let isOver = AsyncEvent()

  /// Starts the server and its conversation with `user`.
  /// - Parameters:
  ///   - largestTransfer: how many bytes go through a pipe at once, to cut packets in odd places.
  ///   - beginsLater: whether ``begin()`` is called.
  ///   - lastByte: how many bytes the server gets before it is killed; nil for all.
  init(
    _ user: SFTPClient, arguments: [String] = [], largestTransfer: Int = 256 << 10, beginsLater: Bool = false,
    lastByte: Int? = nil
  ) throws {
    self.user = user
    directory = try TemporaryDirectory("sftp-server")
    let input = directory.file("input").path
    let output = directory.file("output").path
    let wakeUpPath = directory.file("wake-up").path
    for path in [input, output, wakeUpPath] {
      guard mkfifo(path, 0o600) == 0 else { throw TestServerError.system("mkfifo") }
    }
    // Opened for both, a pipe has its other end at once.
    let sending = open(input, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    let receiving = open(output, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    process = try ChildProcess(
      Self.program, ["-e"] + arguments, directory: directory.url, input: URL(fileURLWithPath: input),
      output: URL(fileURLWithPath: output), error: directory.file("error"))
    wakeUp = open(wakeUpPath, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    Thread.detachNewThread { [work, wakeUp, isStopped, isOver, process] in
      var left = lastByte ?? .max
      Self.converse(user, sending, receiving, wakeUp, work, isStopped, largestTransfer) { count in
        if left > 0, left <= count { process.send(signal: SIGKILL) }
        left -= count
      }
      Glibc.close(sending)
      Glibc.close(receiving)
      isOver.signal()
    }
    if !beginsLater { begin() }
  }

  /// Opens the channel.
  func begin() {
    perform { [user] in user.channelDidOpen() }
  }

  deinit {
    Glibc.close(wakeUp)
  }

  /// Runs something on the connection's thread.
  func perform(_ task: @escaping @Sendable () -> Void) {
    let isOver = work.update { work in
      work?.append(task)
      return work == nil
    }
    if isOver { afterwards.async(execute: task) } else { _ = write(wakeUp, [1], 1) }
  }

  /// Asks something of the client on the connection's thread, and waits for the answer.
  func ask<Value: Sendable>(_ question: @escaping @Sendable (@escaping SFTPClient.Reply<Value>) -> Void) async throws
    -> Value
  {
    try await withCheckedThrowingContinuation { continuation in
      perform { question { continuation.resume(with: $0.mapError { $0 as any Error }) } }
    }
  }

  /// Ends the server, and with it the connection.
  func close() {
    process.send(signal: SIGKILL)
    perform { [isStopped] in isStopped.signal() }
  }

  /// Whether the pool closes this connection as soon as what its loads left to be done is done.
  var waitsToClose: Bool {
    get async {
      await withCheckedContinuation { continuation in
        perform { [user] in continuation.resume(returning: user.onIdle != nil) }
      }
    }
  }

  /// Whether the server's process has ended.
  var hasEnded: Bool { process.exitStatus != nil }

  /// Makes the server silent.
  func freeze() {
    process.send(signal: SIGSTOP)
  }

  /// Lets a frozen server go on.
  func thaw() {
    process.send(signal: SIGCONT)
  }

  /// How often the server has a file open.
  func openFiles(named path: String) -> Int {
    let folder = "/proc/\(process.processID)/fd"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.count { (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")) == path }
  }

  /// Ends the server's process without a word.
  func kill() {
    process.send(signal: SIGKILL)
  }

  /// Ends the server and the thread.
  func stop() async {
    close()
    _ = await isOver.wait()
  }

  private static func converse(
    _ user: SFTPClient, _ sending: Int32, _ receiving: Int32, _ wakeUp: Int32,
    _ work: Watched<[@Sendable () -> Void]?>, _ isStopped: AsyncEvent, _ largestTransfer: Int,
    _ didSend: (Int) -> Void
  ) {
    var buffer = [UInt8](repeating: 0, count: largestTransfer)
    var hasEnded = false
    while true {
      let tasks = work.update { tasks in
        let isLast = isStopped.isSignalled && hasEnded && tasks?.isEmpty == true
        defer { tasks = isLast ? nil : [] }
        return isLast ? nil : tasks
      }
      guard let tasks else { return }
      for task in tasks { task() }
      if isStopped.isSignalled, hasEnded { continue }
      var isBlocked = false
      while true {
        let bytes = user.bytesToSend
        guard !bytes.isEmpty else { break }
        let count = write(sending, bytes.baseAddress, min(bytes.count, largestTransfer))
        guard count >= 0 else {
          isBlocked = true
          break
        }
        user.channelDidSend(count)
        didSend(count)
      }
      var descriptors = [
        pollfd(fd: hasEnded ? -1 : receiving, events: Int16(POLLIN), revents: 0),
        pollfd(fd: wakeUp, events: Int16(POLLIN), revents: 0),
        pollfd(fd: sending, events: isBlocked ? Int16(POLLOUT) : 0, revents: 0),
      ]
      poll(&descriptors, 3, 10_000)
      // One read takes the word of many: the work is looked at each time round.
      _ = read(wakeUp, &buffer, buffer.count)
      let count = read(receiving, &buffer, buffer.count)
      if count > 0 {
        buffer.withUnsafeBytes { user.channelDidReceive(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
      } else if count == 0 {
        if !hasEnded { user.channelDidClose(nil) }
        hasEnded = true
      }
    }
  }
}
