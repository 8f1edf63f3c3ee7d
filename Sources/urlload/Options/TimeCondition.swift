import URLLoading
internal import URLLoadingHTTPSemantics

/// What `-z` asks for: what was changed after a date or a file, or with a hyphen in front what was not.
struct TimeCondition: Equatable, Sendable {
  let name: String
  /// Nil where the text is neither a date nor a file that is there: then curl has no condition either.
  let date: Date?

  init(_ text: String) throws(Failure) {
    // CURL_TIMECOND_LASTMOD, for which HTTP has no field.
    guard !text.hasPrefix("=") else {
      throw Failure(
        .usage, "-z \(SafeText.escaped(text)) asks for one time of change, for which HTTP has no condition",
        advice: "write -z DATE for what was changed later, or -z -DATE for what was not")
    }
    name = text.hasPrefix("-") ? "If-Unmodified-Since" : "If-Modified-Since"
    let value = text.hasPrefix("-") || text.hasPrefix("+") ? String(text.dropFirst()) : text
    date = DateText.date(value) ?? Self.changeDate(ofFile: value)
  }

  /// RFC 9110, sections 13.1.3 and 13.1.4.
  var header: LoadOptions.Header? {
    date.map { LoadOptions.Header(name: name, value: HTTPDate.string(from: $0)) }
  }

  /// Whether the condition holds for a resource that was changed at a time, compared as RFC 9110 says. curl takes the time itself for too late
  /// with a hyphen in front, and would drop what servers send.
  func holds(forChangeAt time: Date) -> Bool {
    guard let date else { return true }
    return name == "If-Unmodified-Since" ? time <= date : time > date
  }

  private static func changeDate(ofFile path: String) -> Date? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return Date(timeIntervalSince1970: TimeInterval(status.st_mtim.tv_sec))
  }
}
