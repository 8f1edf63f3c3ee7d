extension URL {
  /// The bytes of the resource that a URL names, loaded by the shared session, of any scheme.
  public var resourceBytes: URLResourceBytes { URLResourceBytes(url: self) }

  /// The lines of the text that a URL names, loaded by the shared session.
  public var lines: AsyncLineSequence<URLResourceBytes> { AsyncLineSequence(base: resourceBytes) }
}

/// The bytes of a resource, which is loaded when an iterator asks for the first one.
public struct URLResourceBytes: AsyncSequence, Sendable {
  /// Bytes.
  public typealias Element = UInt8
  /// The iterator: fast where bytes are there already.
  public typealias AsyncIterator = AsyncBytesIterator

  private let url: URL

  init(url: URL) {
    self.url = url
  }

  /// Begins a load of its own.
  public func makeAsyncIterator() -> AsyncIterator {
    let opening = ResourceOpening(url: url)
    return AsyncBytesIterator { try await opening.nextChunk() }
  }
}

/// Opens a resource at the first read.
///
/// Mutable state: `reader`, isolated to the actor.
private actor ResourceOpening {
  private let url: URL
  private var reader: StreamReader?

  init(url: URL) {
    self.url = url
  }

  func nextChunk() async throws -> Data? {
    if let reader { return try await reader.nextChunk() }
    try Task.checkCancellation()
    let (bytes, response) = try await URLSession.shared.bytes(from: url)
    if let http = response as? HTTPURLResponse, !(200..<300).contains(http.statusCode) {
      throw URLError(
        .badServerResponse, message: "The server answered with status \(http.statusCode).", url: url)
    }
    reader = bytes.reader
    return try await bytes.reader.nextChunk()
  }
}
