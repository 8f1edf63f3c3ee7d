internal import URLLoadingHTTPSemantics

/// An error that crosses between processes, and is stored: its words and its URL without users and passwords, not what lies below it.
package struct BackgroundFailure: Codable, Sendable, Hashable {
  package var domain: String
  package var code: Int
  package var description: String
  package var url: String?

  package init(_ error: any Error) {
    let error = error as NSError
    domain = error.domain
    code = error.code
    description = error.localizedDescription
    let failing = error.userInfo[NSURLErrorFailingURLErrorKey] as? URL
    url = failing.map { URLSecrets.removingAllCredentials($0).absoluteString }
  }

  /// The error for the program's delegate.
  /// - Parameter info: what its `userInfo` has beside the words and the URL.
  package func error(adding info: [String: any Sendable] = [:]) -> any Error {
    var info: [String: Any] = info
    info[NSLocalizedDescriptionKey] = description
    if let url, let failing = URL(string: url) {
      info[NSURLErrorFailingURLErrorKey] = failing
      // The name of a constant that is deprecated, and still read.
      info["NSErrorFailingURLStringKey"] = url
    }
    let error = NSError(domain: domain, code: code, userInfo: info)
    return domain == NSURLErrorDomain ? URLError(_nsError: error) : error
  }
}

extension BackgroundFailure: CompactValue {
  package func write(to writer: inout CompactWriter) {
    writer.text(domain)
    writer.integer(code)
    writer.text(description)
    writer.optional(url) { $0.text($1) }
  }

  package init?(reading reader: inout CompactReader) {
    guard let domain = reader.text(), let code = reader.integer(Int.self), let description = reader.text(),
      let url = reader.optional({ $0.text() })
    else { return nil }
    (self.domain, self.code, self.description, self.url) = (domain, code, description, url)
  }
}
