import Foundation
import URLLoadingBase

@testable import URLLoading

/// Bytes in given chunks, read through `AsyncBytesIterator`; then the end, or an error.
struct ChunkedBytes: AsyncSequence, Sendable {
  let chunks: [Data]
  var failure: ScriptedFailure?

  struct ScriptedFailure: Error, Equatable {}

  /// Cuts `bytes` into chunks of `size`.
  init(_ bytes: [UInt8], size: Int, failure: ScriptedFailure? = nil) {
    chunks = stride(from: 0, to: bytes.count, by: size).map { Data(bytes[$0..<Swift.min($0 + size, bytes.count)]) }
    self.failure = failure
  }

  init(chunks: [Data]) {
    self.chunks = chunks
  }

  func makeAsyncIterator() -> AsyncBytesIterator {
    let chunks = chunks
    let failure = failure
    let index = Locked(0)
    return AsyncBytesIterator {
      let next = index.withLock { index in
        defer { index += 1 }
        return index
      }
      if next < chunks.count { return chunks[next] }
      if let failure { throw failure }
      return nil
    }
  }
}

extension AsyncSequence {
  /// All elements.
  func collected() async throws -> [Element] {
    var all: [Element] = []
    for try await element in self { all.append(element) }
    return all
  }
}
