import Glibc
internal import URLLoadingBase

/// Exchanges messages with an agent by calls that block; `cancel` ends them from any thread.
///
/// Mutable state: `state`, guarded by its lock. The socket is closed only by the thread that opened it.
final class AgentConversation: Sendable {
  private struct State {
    var descriptor: Int32?
    var isCancelled = false
  }

  private let state = Locked(State())

  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Ends the exchange under way; later ones fail.
  func cancel() {
    state.withLock { state in
      state.isCancelled = true
      if let descriptor = state.descriptor { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }
  }

  func keys(at path: String) -> Result<[PublicKey], Problem> {
    exchange(AgentMessage.listKeys, at: path).flatMap { answer in
      AgentMessage.keys(in: answer).map(Result.success) ?? .failure(Problem("it does not tell its keys"))
    }
  }

  func sign(_ data: [UInt8], with key: PublicKey, _ algorithm: KeyAlgorithm, at path: String) -> Result<
    [UInt8], Problem
  > {
    exchange(AgentMessage.sign(data, with: key, algorithm), at: path).flatMap { answer in
      AgentMessage.signature(in: answer, algorithm).map(Result.success)
        ?? .failure(Problem("it refuses to sign with \(algorithm.rawValue)"))
    }
  }

  private func exchange(_ message: [UInt8], at path: String) -> Result<[UInt8], Problem> {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return .failure(.system("socket")) }
    let isWanted = state.withLock { state in
      if !state.isCancelled { state.descriptor = descriptor }
      return !state.isCancelled
    }
    defer {
      state.withLock { $0.descriptor = nil }
      close(descriptor)
    }
    guard isWanted else { return .failure(Problem("cancelled")) }
    guard connect(descriptor, to: path) else { return .failure(.system("\(path) cannot be connected to")) }
    var writer = SSHFieldWriter()
    writer.string(message)
    guard send(writer.bytes, to: descriptor) else { return .failure(.system("it takes no message")) }
    guard let head = receive(4, from: descriptor) else { return .failure(Problem("it does not answer")) }
    var reader = SSHFieldReader(head)
    guard let count = reader.uint32(), (1...UInt32(AgentMessage.largestCount)).contains(count),
      let answer = receive(Int(count), from: descriptor)
    else { return .failure(Problem("its answer makes no sense")) }
    return .success(answer)
  }

  private func connect(_ descriptor: Int32, to path: String) -> Bool {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    guard !bytes.isEmpty, bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
      errno = ENAMETOOLONG
      return false
    }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    return withUnsafeBytes(of: &address) { buffer in
      Glibc.connect(
        descriptor, buffer.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(buffer.count)) == 0
    }
  }

  private func send(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    bytes.withUnsafeBytes { buffer in
      transfer(buffer.count) { done in
        Glibc.send(descriptor, buffer.baseAddress.map { $0 + done }, buffer.count - done, Int32(MSG_NOSIGNAL))
      }
    }
  }

  private func receive(_ count: Int, from descriptor: Int32) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    let isWhole = bytes.withUnsafeMutableBytes { buffer in
      transfer(count) { done in recv(descriptor, buffer.baseAddress.map { $0 + done }, count - done, 0) }
    }
    return isWhole ? bytes : nil
  }

  /// Calls `call` with the number of bytes done until all are; false where the socket ends or fails before.
  private func transfer(_ count: Int, _ call: (_ done: Int) -> Int) -> Bool {
    var done = 0
    while done < count {
      let more = call(done)
      if more < 0, errno == EINTR { continue }
      guard more > 0 else { return false }
      done += more
    }
    return true
  }
}
