import Foundation
import URLLoading

/// Reads the body of an upload piece by piece, on threads of a pool where that may block.
///
/// Mutable state: all stored variables, used by one read at a time; callers wait for a read before the next.
// Safe to share: reads follow each other.
final class UploadBodyReader: @unchecked Sendable {
  private static let files = BlockingPool(name: "SFTP upload", maximumThreadCount: 16)
  /// Apart from files, since a stream may block for any time.
  private static let streams = BlockingPool(name: "SFTP upload stream", maximumThreadCount: 512)

  private let body: URLUploadBody
  private var hasBegun = false
  /// Made by the first read, since opening a file may block.
  private var reader: UploadReader?
  private var position: Int64 = 0

  init(_ body: URLUploadBody) {
    self.body = body
  }

  /// Whether the body can be read again from its beginning.
  var canRepeat: Bool {
    if case .stream = body { !hasBegun } else { true }
  }

  /// A reader of the same body from its beginning, where ``canRepeat``.
  func again() -> UploadBodyReader { UploadBodyReader(body) }

  /// Reads the next piece: up to `count` bytes, none at the end. One at a time.
  /// - Parameter completion: called on any thread.
  func read(_ count: Int, _ completion: @escaping @Sendable (Result<[UInt8], any Error>) -> Void) {
    hasBegun = true
    switch body {
    case .data: completion(Result { try readNow(count) })
    case .file: Self.files.run { completion(Result { try self.readNow(count) }) }
    case .stream: Self.streams.run { completion(Result { try self.readNow(count) }) }
    }
  }

  private func readNow(_ count: Int) throws -> [UInt8] {
    let reader = reader ?? UploadReader(body)
    self.reader = reader
    let piece = try reader.read(count)
    position += Int64(piece.count)
    if case .stream(_, let length?) = body, piece.isEmpty ? position < length : position > length {
      throw URLError(
        .cannotDecodeRawData,
        message: "The body stream gave \(position) bytes, where \(length) were announced.", url: nil)
    }
    return piece
  }
}
