import Foundation

/// The body of a request, and how much of it libcurl has taken.
// Loop thread only. An object of its own, because its source may come back to the handle that reads it.
final class OutgoingBody {
  enum Read {
    case bytes(Int)
    case wait
    case end
    case secure
    case failed(TransferFailure.Reason)
  }

  private let content: TransferRequest.Body
  /// Bytes that libcurl has taken since the body last began.
  private(set) var readBytes: Int64 = 0
  private var hasEnded = false
  /// The error of the source.
  private(set) var error: (any Error)?

  /// Nil for no body.
  init?(_ content: TransferRequest.Body) {
    if case .none = content { return nil }
    self.content = content
  }

  /// Nothing is left to be read.
  var isComplete: Bool {
    guard let length else { return hasEnded }
    return readBytes >= length
  }

  /// The number of bytes, if it is known beforehand.
  var length: Int64? {
    switch content {
    case .none: 0
    case .data(let data): Int64(data.count)
    case .source(_, let length): length
    }
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) -> Read {
    switch content {
    case .none: return .end
    case .data(let data):
      let count = min(buffer.count, data.count - Int(readBytes))
      guard count > 0 else { return .end }
      let start = data.startIndex + Int(readBytes)
      data.copyBytes(to: buffer, from: start..<(start + count))
      readBytes += Int64(count)
      return .bytes(count)
    case .source(let source, let length):
      // A source that exceeds its announced length is truncated: the rest would be parsed as the next request (request smuggling).
      let room = length.map { Int(clamping: min(Int64(buffer.count), $0 - readBytes)) } ?? buffer.count
      guard room > 0 else { return .end }
      return read(source, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<room]), length)
    }
  }

  private func read(
    _ source: any TransferBodySource, into buffer: UnsafeMutableRawBufferPointer, _ length: Int64?
  ) -> Read {
    switch source.read(into: buffer) {
    case .bytes(let count):
      guard count > 0, count <= buffer.count else { return .failed(.bodyFailed) }
      readBytes += Int64(count)
      return .bytes(count)
    case .wait: return .wait
    case .secure: return .secure
    case .end:
      guard length == nil || readBytes == length else { return .failed(.bodyTooShort) }
      hasEnded = true
      return .end
    case .failed(let error):
      self.error = error
      return .failed(.bodyFailed)
    }
  }

  /// libcurl has all bytes of a body whose length is known.
  func takeAll() {
    if let length { readBytes = length }
  }

  /// Begins again. False when the source cannot.
  func rewind() -> Bool {
    if case .source(let source, _) = content {
      guard source.rewind() else { return false }
    }
    readBytes = 0
    hasEnded = false
    return true
  }
}
