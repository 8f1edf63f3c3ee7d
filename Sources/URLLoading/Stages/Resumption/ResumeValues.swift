/// Values of resume data, which are checked before they are used.
enum ResumeValues {
  /// Whether a text may stand in a header field: one with a line end in it could add fields to a request.
  static func isFieldText(_ text: String) -> Bool {
    text.utf8.allSatisfy { $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) }
  }

  static func url(_ text: String?, named name: String) throws(ResumeDataError) -> URL {
    guard let text else { throw .missing(name) }
    guard let url = URL(string: text), url.scheme != nil else {
      throw .invalid(name, reason: "it is not an absolute URL")
    }
    return url
  }

  static func integer(_ value: Any?) -> Int64? {
    (value as? Int64) ?? (value as? Int).map { Int64($0) } ?? (value as? NSNumber).flatMap { Int64(exactly: $0) }
  }
}
