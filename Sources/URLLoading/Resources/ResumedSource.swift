internal import URLLoadingHTTPSemantics

/// The source of a copy whose connection may break: loads the rest of the same version, where the source tells versions apart and has ranges.
struct ResumedSource: Sendable {
  private let session: URLSession
  private let request: URLRequest
  private let first: URLResponse
  private let delegate: (any URLSessionTaskDelegate)?
  /// Where it broke last.
  private var position: Int64 = 0
  /// How often in a row it broke without having come further.
  private var fruitlessCount = 0

  private static let largestFruitlessCount = 3
  /// Bytes that count as having come further.
  private static let progress: Int64 = 64 << 10

  init(
    _ session: URLSession, _ request: URLRequest, _ first: URLResponse, _ delegate: (any URLSessionTaskDelegate)?
  ) {
    self.session = session
    self.request = request
    self.first = first
    self.delegate = delegate
  }

  /// How many bytes there are to be; nil where the source does not say.
  var length: Int64? { CopiedBody.length(of: first) }

  /// The bytes from a position on.
  /// - Throws: the error that the load ended with, where nothing can be done about it; and an error where there is another version.
  mutating func rest(from position: Int64, after error: any Error) async throws -> URLSession.AsyncBytes {
    var error = error
    while true {
      guard let rest = try request(from: position, after: error) else { throw error }
      // A server that begins anew takes a while.
      if fruitlessCount > 1 { try await Task.sleep(for: .milliseconds(500 * (fruitlessCount - 1))) }
      do {
        let (bytes, response) = try await session.bytes(for: rest, delegate: delegate)
        try check(response, from: position)
        return bytes
      } catch let other as URLError where Self.isTransient(other) {
        error = other
      }
    }
  }

  /// The request for the rest; nil where the error is final.
  private mutating func request(from position: Int64, after error: any Error) throws -> URLRequest? {
    guard let error = error as? URLError, Self.isTransient(error), !Task.isCancelled, position > 0,
      let length, position < length, first.acceptsByteRanges, let validator = first.validators.ifRangeValue
    else { return nil }
    fruitlessCount = position - self.position >= Self.progress ? 0 : fruitlessCount + 1
    guard fruitlessCount <= Self.largestFruitlessCount else { return nil }
    self.position = position
    var request = request
    request.setValue(ByteRange.from(position).fieldValue, forHTTPHeaderField: "Range")
    request.setValue(validator, forHTTPHeaderField: "If-Range")
    return request
  }

  private func check(_ response: URLResponse, from position: Int64) throws {
    let expectation = RangeExpectation(
      range: .from(position), completeLength: length, validators: first.validators)
    switch expectation.verdict(on: response) {
    case .continues: return
    case .replaces, .contradicts, .unsatisfiable:
      throw URLError(
        .cannotDecodeRawData, message: "\(request.url?.redactedDescription ?? "") was changed while it was copied.",
        url: request.url)
    case .other:
      if let response = response as? HTTPURLResponse, let error = ResourceVerb.load.error(for: response) { throw error }
      throw URLError(
        .badServerResponse, message: "The rest of \(request.url?.redactedDescription ?? "") cannot be loaded.",
        url: request.url)
    }
  }

  private static func isTransient(_ error: URLError) -> Bool {
    [.networkConnectionLost, .timedOut, .cannotConnectToHost].contains(error.code)
  }
}
