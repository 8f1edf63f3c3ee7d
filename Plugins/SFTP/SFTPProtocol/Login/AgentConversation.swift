import Glibc
internal import URLLoadingBase

/// Talks to an agent with calls that block; `cancel` ends them from any thread.
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
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress.map { $0 + sent }, $0.count - sent, Int32(MSG_NOSIGNAL))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }

  private func receive(_ count: Int, from descriptor: Int32) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    var received = 0
    while received < count {
      let more = bytes.withUnsafeMutableBytes {
        recv(descriptor, $0.baseAddress.map { $0 + received }, $0.count - received, 0)
      }
      if more < 0, errno == EINTR { continue }
      guard more > 0 else { return nil }
      received += more
    }
    return bytes
  }
}
