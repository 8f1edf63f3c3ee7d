/// The beginning of a body, for the archive.
struct HTTPArchiveBody {
  /// As much as may be kept.
  private(set) var bytes = Data()
  /// In bytes, with what was not kept.
  private(set) var length = 0
  let limit: Int

  init(limit: Int) {
    self.limit = limit
  }

  mutating func append(_ data: Data) {
    length += data.count
    if bytes.count < limit { bytes.append(data.prefix(limit - bytes.count)) }
  }

  /// The text, and how it is encoded: as it is where the body is UTF-8, else in base64.
  var content: (text: String, encoding: String?)? {
    guard !bytes.isEmpty else { return nil }
    if let text = String(validating: bytes, as: UTF8.self) { return (text, nil) }
    return (bytes.base64EncodedString(), "base64")
  }

  /// For people.
  var comment: String? {
    length > bytes.count ? "The text is the first \(bytes.count) of \(length) bytes." : nil
  }
}
