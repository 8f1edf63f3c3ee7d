import Foundation
import URLLoading

/// Reads the body of a load, and begins it with the first piece.
///
/// Mutable state: `body` and `isEmpty`, used by one reader at a time, which the subscription's machine sees to.
// Safe to share: there is one reader at a time, and each begins after the one before has ended, through the subscription's lock.
final class BodyReader: @unchecked Sendable {
  typealias Piece = (data: Data, response: URLResponse)

  private let request: URLRequest
  private let session: URLSession
  private var body: (bytes: URLSession.AsyncBytes, response: URLResponse)?
  private var isEmpty = true

  init(request: URLRequest, session: URLSession) {
    self.request = request
    self.session = session
  }

  /// The next piece; of an empty body an empty one; nil at the end.
  func next() async throws -> Piece? {
    if body == nil {
      let (bytes, response) = try await session.bytes(for: request)
      body = (bytes, response)
    }
    guard let body else { return nil }
    if let data = try await body.bytes.nextChunk() {
      isEmpty = false
      return (data, body.response)
    }
    defer { isEmpty = false }
    return isEmpty ? (Data(), body.response) : nil
  }
}
