import Foundation
import Glibc
import URLLoadingTestServers

@testable import SFTPProtocol

/// Sends bytes over a channel and keeps what comes, and what happened.
///
/// Mutable state: `state`, guarded by its own lock; the rest is confined to the connection's thread.
// Safe to share: see above.
final class TestChannelUser: SSHChannelUser, @unchecked Sendable {
  struct State: Sendable {
    var isOpen = false
    var received = Data()
    var receivedCount = 0
    /// How often the end was reported.
    var closeCount = 0
    var error: (any Error)?
    /// Whether calls came on more than one thread, or after the end.
    var isConfused = false
  }

  let state = Watched(State())
  private let outgoing: UnsafeMutableRawBufferPointer
  private let keepsBytes: Bool
  private var sent = 0
  private var thread: pthread_t?
  private let takesBytes = Watched(true)

  init(sending bytes: Data = Data(), keepsBytes: Bool = true) {
    outgoing = .allocate(byteCount: bytes.count, alignment: 1)
    outgoing.copyBytes(from: bytes)
    self.keepsBytes = keepsBytes
  }

  deinit {
    outgoing.deallocate()
  }

  func channelDidOpen() {
    check()
    state.update { $0.isOpen = true }
  }

  func channelDidReceive(_ bytes: UnsafeRawBufferPointer) {
    check()
    state.update { state in
      state.receivedCount += bytes.count
      if keepsBytes { state.received.append(contentsOf: bytes) }
    }
  }

  var bytesToSend: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: outgoing[sent...]) }

  func channelDidSend(_ count: Int) { sent += count }

  var wantsToReceive: Bool { takesBytes.value }

  func channelDidClose(_ error: (any Error)?) {
    check()
    state.update { state in
      state.closeCount += 1
      state.error = error
    }
  }

  /// Holds the server back, or lets it go on.
  func takeBytes(_ takes: Bool) { takesBytes.update { $0 = takes } }

  private func check() {
    let current = pthread_self()
    if thread == nil { thread = current }
    if thread != current || state.value.closeCount > 0 { state.update { $0.isConfused = true } }
  }

  var failure: SSHFailure? { state.value.error as? SSHFailure }

  /// False if the channel has not opened, but the connection ended instead.
  func opens(timeout: Duration = .seconds(30)) async -> Bool {
    _ = await state.wait(timeout: timeout) { $0.isOpen || $0.closeCount > 0 }
    return state.value.isOpen && state.value.closeCount == 0
  }

  func closes(timeout: Duration = .seconds(30)) async -> Bool {
    await state.wait(timeout: timeout) { $0.closeCount > 0 }
  }
}
