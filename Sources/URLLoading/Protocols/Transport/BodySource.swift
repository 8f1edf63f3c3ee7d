internal import URLLoadingBase
internal import URLLoadingCurlTransport

/// The body of an upload for the transfer engine: pages of a file in the page cache are read on the loop; otherwise a file or stream is
/// read ahead on a thread pool, since the transfer loop must not block.
///
/// Mutable state: `state`, guarded by its lock.
final class BodySource: TransferBodySource {
  private static let chunkSize = 256 << 10
  /// In bytes: a read of that takes about 0.1 ms of the loop.
  private static let largestImmediateRead = 512 << 10

  private struct State {
    var reader: UploadReader?
    var chunks: [[UInt8]] = []
    var position = 0
    var isReading = false
    var isAtEnd = false
    var isWaitedFor = false
    var failure: (any Error)?
    var transfer: (any BodySender)?
    /// Which of the transfers with this body it is.
    var transferNumber = 0
    var generation = 0
  }

  private let body: URLUploadBody
  private let state = Locked(State())

  init(_ body: URLUploadBody) {
    self.body = body
  }

  /// The body of the transfer request.
  var transferBody: TransferRequest.Body {
    switch body {
    case .data(let data): .data(data)
    case .file, .stream: .source(self, length: body.length)
    }
  }

  /// Whether the body can be read once alone.
  var isStream: Bool {
    if case .stream = body { true } else { false }
  }

  /// Whether the transfer has asked for bytes of it.
  var hasBegun: Bool {
    state.withLock { $0.reader != nil || $0.isReading || $0.isWaitedFor || $0.isAtEnd || $0.failure != nil }
  }

  /// Sets the transfer to resume when bytes are available. It may have begun: what it waits for may have been told to an earlier one, which is
  /// over.
  /// - Parameter number: counts the transfers with this body. One that is over by now may be set after its successor, and replaces nothing.
  func attach(to transfer: any BodySender, number: Int = 0) {
    let hasCome = state.withLock { state in
      guard number >= state.transferNumber else { return false }
      state.transferNumber = number
      state.transfer = transfer
      return !state.chunks.isEmpty || state.isAtEnd || state.failure != nil
    }
    if hasCome { transfer.resumeSending() }
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) -> BodyRead {
    let (result, reads) = state.withLock { state -> (BodyRead, Bool) in
      guard let chunk = state.chunks.first else {
        if let failure = state.failure { return (.failed(failure), false) }
        if state.isAtEnd { return (.end, false) }
        if let count = Self.readAtOnce(&state, into: buffer) { return (.bytes(count), false) }
        state.isWaitedFor = true
        return (.wait, Self.shouldRead(&state))
      }
      let count = min(buffer.count, chunk.count - state.position)
      chunk.withUnsafeBytes { bytes in
        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[state.position..<state.position + count]))
      }
      state.position += count
      if state.position == chunk.count {
        state.chunks.removeFirst()
        state.position = 0
      }
      return (.bytes(count), Self.shouldRead(&state))
    }
    if reads { readAhead() }
    return result
  }

  func rewind() -> Bool {
    guard case .file = body else { return state.withLock { $0.reader == nil && $0.chunks.isEmpty && !$0.isAtEnd } }
    state.withLock { state in
      state = State(
        isWaitedFor: state.isWaitedFor, transfer: state.transfer, transferNumber: state.transferNumber,
        generation: state.generation + 1)
    }
    return true
  }

  private static func readAtOnce(_ state: inout State, into buffer: UnsafeMutableRawBufferPointer) -> Int? {
    guard !state.isReading, let reader = state.reader else { return nil }
    return reader.readAtOnce(into: UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(largestImmediateRead)))
  }

  /// Reads up to two pieces ahead, where reads block.
  private static func shouldRead(_ state: inout State) -> Bool {
    guard !state.isReading, !state.isAtEnd, state.failure == nil, state.chunks.count < 2 else { return false }
    if let reader = state.reader, reader.readsAtOnce { return false }
    state.isReading = true
    return true
  }

  private func readAhead() {
    let generation = state.withLock { $0.generation }
    pool.run { self.readChunk(generation) }
  }

  /// Reads of a stream may block for long.
  private var pool: BlockingPool {
    if case .stream = body { .streams } else { .engines }
  }

  private func readChunk(_ generation: Int) {
    let known = state.withLock { $0.generation == generation ? $0.reader : nil }
    let reader = known ?? UploadReader(body)
    let result = Result { try reader.read(Self.chunkSize) }
    let (transfer, reads) = state.withLock { state -> ((any BodySender)?, Bool) in
      guard state.generation == generation else { return (nil, false) }
      state.reader = reader
      state.isReading = false
      switch result {
      case .success(let chunk) where chunk.isEmpty: state.isAtEnd = true
      case .success(let chunk): state.chunks.append(chunk)
      case .failure(let error): state.failure = error
      }
      let reads = Self.shouldRead(&state)
      guard state.isWaitedFor, let transfer = state.transfer else { return (nil, reads) }
      state.isWaitedFor = false
      return (transfer, reads)
    }
    transfer?.resumeSending()
    if reads { readAhead() }
  }
}
