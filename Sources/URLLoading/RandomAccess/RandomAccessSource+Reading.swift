/// The two ways to read: blocking, and asynchronous.
extension RandomAccessSource {
  /// Reads until the destination is full or the resource ends. Blocks.
  func readBlocking(
    into destination: UnsafeMutableRawBufferPointer, at offset: Int64, stream: Int, handle: ReadHandle
  ) throws -> Int {
    if handle.isCancelled { throw cancellation }
    guard let bytes = try bytes(at: offset, count: destination.count), let start = destination.baseAddress else {
      return 0
    }
    var read = try begin(bytes, stream: stream, handle: handle)
    do {
      while true {
        switch try advance(&read, into: start) {
        case .finished: return bytes.count
        case .more: break
        case .wait: handle.waitBlocking()
        }
        if handle.isCancelled { throw cancellation }
      }
    } catch {
      abandon(read)
      throw error
    }
  }

  /// Reads `count` bytes, or up to the end. Cancelling the surrounding task ends it.
  func read(at offset: Int64, count: Int, stream: Int) async throws -> Data {
    guard let bytes = try bytes(at: offset, count: count) else { return Data() }
    guard let destination = ReadDestination(count: bytes.count) else {
      throw URLError(
        .cannotDecodeRawData, message: "There is no memory for a read of \(bytes.count) bytes.", url: url,
        underlying: POSIXError(.ENOMEM))
    }
    let handle = ReadHandle()
    return try await withTaskCancellationHandler {
      try await fill(destination, bytes, stream: stream, handle: handle)
      return destination.takeData()
    } onCancel: {
      handle.cancel()
    }
  }

  private func fill(_ destination: ReadDestination, _ bytes: Range<Int64>, stream: Int, handle: ReadHandle) async throws
  {
    if handle.isCancelled { throw cancellation }
    var read = try begin(bytes, stream: stream, handle: handle)
    do {
      while true {
        let step: ReadStep
        if waitsForDisk {
          let running = read
          (step, read) = try await BlockingPool.engines.perform {
            var read = running
            let step = try self.advance(&read, into: destination.start)
            return (step, read)
          }
        } else {
          step = try advance(&read, into: destination.start)
        }
        switch step {
        case .finished: return
        case .more: break
        case .wait: await handle.wait()
        }
        if handle.isCancelled { throw cancellation }
      }
    } catch {
      abandon(read)
      throw error
    }
  }

  /// The bytes that a read gets; nil for none.
  private func bytes(at offset: Int64, count: Int) throws -> Range<Int64>? {
    guard offset >= 0, count >= 0 else {
      throw URLError(
        .badServerResponse,
        message: "A read of \(count) bytes at \(offset): neither may be negative.",
        url: url)
    }
    guard offset < length, count > 0 else { return nil }
    return offset..<offset + min(Int64(count), length - offset)
  }

  var cancellation: URLError {
    URLError(.cancelled, message: "The read of \(url.redactedDescription) was cancelled.", url: url)
  }

  /// Why reads of a closed resource fail.
  var closure: URLError {
    URLError(.cancelled, message: "The random access to \(url.redactedDescription) was closed.", url: url)
  }
}

/// Memory that one read fills and hands over.
// Safe to share: used by one read, step by step.
private final class ReadDestination: @unchecked Sendable {
  let start: UnsafeMutableRawPointer
  private let count: Int
  private var isTaken = false

  /// Nil when there is not so much memory.
  init?(count: Int) {
    guard let start = malloc(count) else { return nil }
    self.start = start
    self.count = count
  }

  deinit {
    if !isTaken { free(start) }
  }

  /// The bytes, without a copy.
  func takeData() -> Data {
    isTaken = true
    return Data(bytesNoCopy: start, count: count, deallocator: .free)
  }
}
