/// What was not done of the work on a tree, of which the rest is done all the same.
struct TreeFailures: Sendable {
  /// The first.
  private(set) var first: URLError?
  private(set) var count = 0

  mutating func add(_ error: URLError) {
    first = first ?? error
    count += 1
  }

  mutating func add(_ others: TreeFailures) {
    first = first ?? others.first
    count += others.count
  }

  /// Whether an error says something of one item alone; others would meet all that follow as well.
  static func isOfOneItem(_ error: URLError) -> Bool {
    let codes: [URLError.Code] = [
      .fileDoesNotExist, .fileIsDirectory, .noPermissionsToReadFile, .cannotOpenFile, .cannotCreateFile,
      .cannotRemoveFile, .cannotMoveFile, .cannotWriteToFile, .cannotCloseFile, .resourceUnavailable, .badURL,
      .badServerResponse, .cannotDecodeRawData, .zeroByteResource,
    ]
    return codes.contains(error.code)
  }

  /// The error of the whole; nil where all was done.
  /// - Parameter action: such as "copied", for "could not be copied".
  func error(_ action: String, _ url: URL) -> URLError? {
    guard let first else { return nil }
    guard count > 1 else { return first }
    return URLError(
      first.code,
      message:
        "\(count) parts of \(url.redactedDescription) could not be \(action). The first: \(first.localizedDescription)",
      url: first.failingURL ?? url, underlying: first)
  }
}
