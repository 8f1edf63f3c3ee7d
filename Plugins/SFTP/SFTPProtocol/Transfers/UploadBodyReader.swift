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
  private var position: Int64 = 0
  private var descriptor: Int32 = -1
  private(set) var hasBegun = false

  init(_ body: URLUploadBody) {
    self.body = body
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
    if case .stream(let stream, _) = body, hasBegun { stream.close() }
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
    case .data(let data):
      let piece = Array(data.dropFirst(Int(position)).prefix(count))
      position += Int64(piece.count)
      completion(.success(piece))
    case .file: Self.files.run { completion(Result { try self.readFile(count) }) }
    case .stream: Self.streams.run { completion(Result { try self.readStream(count) }) }
    }
  }

  private func readFile(_ count: Int) throws -> [UInt8] {
    guard case .file(let url, let length) = body else { return [] }
    if descriptor < 0 { descriptor = open(url.path, O_RDONLY | O_CLOEXEC) }
    guard descriptor >= 0 else {
      throw URLError(
        .cannotOpenFile,
        message: "The file to upload cannot be opened: \(url.path): \(String(cString: strerror(errno))).",
        url: url)
    }
    // Bytes that were added since the length was measured are not sent.
    let wanted = Int(min(Int64(count), max(0, length - position)))
    guard wanted > 0 else { return [] }
    let piece = try [UInt8](unsafeUninitializedCapacity: wanted) { buffer, initialized in
      var result = Glibc.read(descriptor, buffer.baseAddress, wanted)
      while result < 0, errno == EINTR { result = Glibc.read(descriptor, buffer.baseAddress, wanted) }
      guard result >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
      initialized = result
    }
    guard !piece.isEmpty else {
      throw URLError(
        .cannotDecodeRawData, message: "The file to upload shrank while it was sent: \(url.path).", url: url)
    }
    position += Int64(piece.count)
    return piece
  }

  private func readStream(_ count: Int) throws -> [UInt8] {
    guard case .stream(let stream, let length) = body else { return [] }
    if stream.streamStatus == .notOpen { stream.open() }
    let piece = try [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      guard let start = buffer.baseAddress else { return }
      let result = stream.read(start, maxLength: count)
      guard result >= 0 else {
        throw stream.streamError ?? URLError(.cannotOpenFile, message: "The body stream failed.", url: nil)
      }
      initialized = result
    }
    position += Int64(piece.count)
    if let length, piece.isEmpty ? position < length : position > length {
      throw URLError(
        .cannotDecodeRawData,
        message: "The body stream gave \(position) bytes, where \(length) were announced.", url: nil)
    }
    return piece
  }
}
