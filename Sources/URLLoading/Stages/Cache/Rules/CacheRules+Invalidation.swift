internal import URLLoadingBase
internal import URLLoadingHTTPSemantics

/// What a change at the source makes of stored responses (RFC 9111, section 4.4).
extension CacheRules {
  /// The URLs whose stored responses are removed after an answer to a request that may have changed something: none for safe methods and
  /// for errors. Those that the answer names are among them if they are of the same origin, and that to which `MOVE` and `COPY` lead (RFC 4918,
  /// section 10.3).
  func invalidated(by response: CacheResponse, to request: CacheRequest) -> [URL] {
    guard !Self.safeMethods.contains(request.method), (200...399).contains(response.statusCode) else { return [] }
    let origin = WebOrigin(request.url)
    var urls = [request.url]
    // Each of several: what is removed for nothing costs a load.
    let named =
      Array(response.fields.values(of: "Location")) + response.fields.values(of: "Content-Location")
      + request.fields.values(of: "Destination")
    for value in named {
      guard let url = LocationReference(value)?.resolved(against: request.url), WebOrigin(url) == origin,
        !urls.contains(url)
      else { continue }
      urls.append(url)
    }
    return urls
  }

  /// Which stored responses a newer answer replaces, stored or not: those that answer the same request. An error of the server replaces
  /// nothing, nor does a part what may be of its version.
  /// - Parameter stored: the responses that are stored for its URL.
  func superseded(by response: CacheResponse, to request: CacheRequest, among stored: [StoredHead]) -> [Int] {
    guard request.method == "GET", (200...499).contains(response.statusCode),
      !Self.momentaryStatusCodes.contains(response.statusCode)
    else { return [] }
    let isPart = response.statusCode == 206 || request.fields.contains("Range") && response.isUnmarkedPart
    return stored.indices.filter { index in
      stored[index].matches(request) && (!isPart || Self.isOtherVersion(stored[index].fields, response.fields))
    }
  }

  private static func isOtherVersion(_ old: HTTPFields, _ new: HTTPFields) -> Bool {
    if let old = EntityTag.field(of: old), let new = EntityTag.field(of: new) {
      return EntityTag.opaque(old) != EntityTag.opaque(new)
    }
    guard let old = old.single("Last-Modified").agreed, let new = new.single("Last-Modified").agreed else {
      return false
    }
    return old.trimmingFieldWhitespace != new.trimmingFieldWhitespace
  }

  /// Those that IANA's registry of methods calls safe; one that is unknown is not.
  private static let safeMethods: Set<String> = [
    "GET", "HEAD", "OPTIONS", "TRACE", "PRI", "PROPFIND", "QUERY", "REPORT", "SEARCH",
  ]
}
