internal import URLLoadingBase

/// Reads the body of an upload for one `async` function, which stops to wait when its task is cancelled.
///
/// Mutable state: `state`, guarded by its lock; `position` and `reader`, used by one read at a time.
// Safe to share: as said above. A read that a cancelled function left behind is the last one.
final class UploadChunkReader: @unchecked Sendable {
  private struct State {
    var waiter: UnsafeContinuation<Void, Never>?
    var outcome: Result<Data?, any Error>?
  }

  private static let chunkSize = 256 << 10

  private let body: URLUploadBody
  private let state = Locked(State())
  private var position: Int64 = 0
  /// Made by the first read, since opening a file may block.
  private var reader: UploadReader?

  init(_ body: URLUploadBody) {
    self.body = body
  }

  /// The next piece, nil at the end. One caller at a time, and none after an error.
  func next() async throws -> Data? {
    switch body {
    case .data(let data): return piece(of: data)
    case .file: return try await read(on: .engines)
    // Reads of a stream may block for long.
    case .stream: return try await read(on: .streams)
    }
  }

  private func piece(of data: Data) -> Data? {
    let start = data.startIndex + Int(position)
    guard start < data.endIndex else { return nil }
    let end = min(start + Self.chunkSize, data.endIndex)
    position += Int64(end - start)
    return end - start == data.count ? data : data.subdata(in: start..<end)
  }

  private func read(on pool: BlockingPool) async throws -> Data? {
    await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        state.withLock { $0 = State(waiter: continuation) }
        if Task.isCancelled { return end(.failure(CancellationError())) }
        pool.run { self.end(Result { try self.readNow() }) }
      }
    } onCancel: {
      end(.failure(CancellationError()))
    }
    return try state.withLock { $0.outcome }?.get()
  }

  /// The first outcome counts. The function is resumed under the lock: the thread sanitizer sees no order between that and what it does next.
  private func end(_ outcome: Result<Data?, any Error>) {
    state.withLock { state in
      guard let waiter = state.waiter.take() else { return }
      state.outcome = outcome
      waiter.resume()
    }
  }

  private func readNow() throws -> Data? {
    let reader = reader ?? UploadReader(body)
    self.reader = reader
    let piece = try reader.read(Self.chunkSize)
    position += Int64(piece.count)
    if case .stream(_, let length?) = body, piece.isEmpty ? position < length : position > length {
      throw URLError(
        .cannotDecodeRawData,
        message: "The body stream gave \(position) bytes, where \(length) were announced.", url: nil)
    }
    return piece.isEmpty ? nil : Data(piece)
  }
}
