import Foundation
import URLLoadingCurlTransport
import URLLoadingTestServers

/// An engine that no variable of the environment reaches.
func makeEngine(connectionsPerHost: Int = 6, proxy: ProxyConfiguration = .direct) -> TransferEngine {
  var configuration = TransferEngineConfiguration()
  configuration.maximumConnectionsPerHost = connectionsPerHost
  configuration.proxy = proxy
  return TransferEngine(configuration: configuration)
}

/// An engine that trusts the test servers' authority.
func makeTrustingEngine() async throws -> TransferEngine {
  var configuration = TransferEngineConfiguration()
  configuration.proxy = .direct
  configuration.tls.caFile = try await TestCertificates.shared.authority.path
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

  /// Waits until the engine wants nothing of the loop at once, in many turns in a row. False if that does not come.
  nonisolated func comesToRest() async throws -> Bool {
    try await eventually(timeout: .seconds(20)) {
      for _ in 0..<50 where await isDue() { return false }
      return true
    }
  }
}

/// Bytes that differ from their neighbours at any distance, so that a lost or repeated block is noticed.
func pattern(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
  var state = seed &* 0x9e37_79b9_7f4a_7c15 | 1
  return [UInt8](unsafeUninitializedCapacity: count + 8) { buffer, initialized in
    let bytes = UnsafeMutableRawBufferPointer(buffer)
    var offset = 0
    while offset < count {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      bytes.storeBytes(of: state, toByteOffset: offset, as: UInt64.self)
      offset += 8
    }
    initialized = count
  }
}

/// A value that other threads set and a test waits for. Every value that is sent ends one wait.
final class Signal<Value: Sendable>: Sendable {
  private struct State {
    var values: [Value] = []
    var waiters: [(id: Int, continuation: CheckedContinuation<Value?, Never>)] = []
    var nextID = 0
  }

  private let state = SharedValue(State())

  func send(_ value: Value) {
    let waiter: CheckedContinuation<Value?, Never>? = state.withLock { state in
      if state.waiters.isEmpty {
        state.values.append(value)
        return nil
      }
      return state.waiters.removeFirst().continuation
    }
    waiter?.resume(returning: value)
  }

  /// The value, or nil if it does not come within the time. No thread is blocked meanwhile.
  func wait(_ seconds: Double = 60) async -> Value? {
    await withCheckedContinuation { continuation in
      let (immediate, id): (Value?, Int) = state.withLock { state in
        if !state.values.isEmpty { return (state.values.removeFirst(), 0) }
        state.nextID += 1
        state.waiters.append((state.nextID, continuation))
        return (nil, state.nextID)
      }
      if let immediate { return continuation.resume(returning: immediate) }
      DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { [state] in
        let waiter: CheckedContinuation<Value?, Never>? = state.withLock { state in
          guard let index = state.waiters.firstIndex(where: { $0.id == id }) else { return nil }
          return state.waiters.remove(at: index).continuation
        }
        waiter?.resume(returning: nil)
      }
    }
  }
}
