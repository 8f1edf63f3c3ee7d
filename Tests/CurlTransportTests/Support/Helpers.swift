import CurlTransport
import Foundation

/// An engine that no variable of the environment reaches.
func makeEngine(connectionsPerHost: Int = 6, proxy: ProxyConfiguration = .direct) -> TransferEngine {
  var configuration = TransferEngineConfiguration()
  configuration.maximumConnectionsPerHost = connectionsPerHost
  configuration.proxy = proxy
  return TransferEngine(configuration: configuration)
}

extension TransferEngine {
  /// Runs a request to its end.
  nonisolated func run(_ request: TransferRequest, recorder: Recorder = Recorder()) async throws -> Recorder.State {
    _ = start(request, handler: recorder)
    return try await recorder.completion()
  }

  /// Gets a URL.
  nonisolated func get(_ url: String) async throws -> Recorder.State {
    try await run(TransferRequest(url: url))
  }
}

/// Bytes that differ from their neighbours at any distance, so that a lost or repeated block is noticed.
func pattern(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
  var state = seed &* 0x9e37_79b9_7f4a_7c15 | 1
  return (0..<count).map { _ in
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return UInt8(truncatingIfNeeded: state >> 32)
  }
}

/// A value that other threads set and a test waits for.
final class Signal<Value: Sendable>: Sendable {
  private let value = Locked<Value?>(nil)
  private let semaphore = DispatchSemaphore(value: 0)

  func send(_ new: Value) {
    value.withLock { $0 = new }
    semaphore.signal()
  }

  /// The value, or nil if it does not come within the time.
  func wait(_ seconds: Double = 15) async -> Value? {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async { [self] in
        _ = semaphore.wait(timeout: .now() + seconds)
        continuation.resume(returning: value.withLock { $0 })
      }
    }
  }
}
