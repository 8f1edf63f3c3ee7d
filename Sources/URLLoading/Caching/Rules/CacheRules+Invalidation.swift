/// What a change at the source makes of stored responses (RFC 9111, section 4.4).
extension CacheRules {
  /// The URLs whose stored responses are removed after an answer to a request that may have changed something: none for safe methods and
  /// for errors. Those that the answer names are among them if they are of the same origin.
  func invalidated(by response: CacheResponse, to request: CacheRequest) -> [URL] {
    guard !Self.safeMethods.contains(request.method), (200...399).contains(response.statusCode) else { return [] }
    let origin = HTTPRedirect.Origin(request.url)
    var urls = [request.url]
    for name in ["Location", "Content-Location"] {
      guard let value = response.fields.last(name),
        let url = LocationReference(value)?.resolved(against: request.url), HTTPRedirect.Origin(url) == origin,
        !urls.contains(url)
      else { continue }
      urls.append(url)
    }
    return urls
  }

  /// Those that IANA's registry of methods calls safe; one that is unknown is not.
  private static let safeMethods: Set<String> = [
    "GET", "HEAD", "OPTIONS", "TRACE", "PRI", "PROPFIND", "QUERY", "REPORT", "SEARCH",
  ]
}
