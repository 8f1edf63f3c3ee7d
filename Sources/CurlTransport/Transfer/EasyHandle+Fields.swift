internal import URLLoadingBase
internal import URLLoadingCCurl

/// The header fields of a request, and those that libcurl would add by itself.
extension EasyHandle {
  func setHeaders(
    _ new: [(name: String, value: String)], _ shape: EasyHandleShape, _ configuration: TransferEngineConfiguration
  ) {
    clearHeaders()
    headers = new
    var hasAccept = false
    var hasExpect = false
    var hasAgent = shape.proxy != nil
    var hasCodings = !shape.decodesContent
    var hasLanguages = false
    var hasType = !shape.hasInlineBody
    let omitted =
      shape.omittedFields.isEmpty
      ? configuration.omittedFields : configuration.omittedFields.union(shape.omittedFields)
    for name in omitted.sorted() {
      // Without its framing a body would be parsed as the next request (request smuggling).
      if name == "content-length" || name == "transfer-encoding" { continue }
      append("\(name):")
      switch name {
      case "accept": hasAccept = true
      case "expect": hasExpect = true
      case "user-agent": hasAgent = true
      case "accept-encoding": hasCodings = true
      case "accept-language": hasLanguages = true
      case "content-type": hasType = true
      default: break
      }
    }
    for (name, value) in new {
      if !omitted.isEmpty, omitted.contains(name.lowercased()) { continue }
      if name.equalsIgnoringASCIICase("accept") { hasAccept = true }
      if name.equalsIgnoringASCIICase("expect") { hasExpect = true }
      if name.equalsIgnoringASCIICase("user-agent") { hasAgent = true }
      if name.equalsIgnoringASCIICase("accept-encoding") { hasCodings = true }
      if name.equalsIgnoringASCIICase("accept-language") { hasLanguages = true }
      if !hasType { hasType = name.equalsIgnoringASCIICase("content-type") }
      // The engine frames the message (RFC 9112 section 6): contradictory lengths allow request smuggling.
      if name.equalsIgnoringASCIICase("content-length")
        || name.equalsIgnoringASCIICase("transfer-encoding")
      {
        continue
      }
      let value = value.trimmingFieldWhitespace
      let line = value.isEmpty ? "\(name);" : "\(name): \(value)"
      if !shape.latin1Fields.isEmpty, shape.latin1Fields.contains(name.lowercased()), let octets = line.latin1Octets {
        append(octets)
      } else {
        append(line)
      }
    }
    // A name without a value keeps libcurl from adding the field by itself.
    if !hasAccept, !configuration.sendsDefaultAccept { append("Accept:") }
    if shape.hasBody, !hasExpect { append("Expect:") }
    // With POST libcurl takes the body for a form's.
    if !hasType { append("Content-Type:") }
    // The bytes after the head are not a body, and have no coding.
    if shape.switchesProtocols { append("Transfer-Encoding:") }
    // All lines in one entry: libcurl compares each entry with all names that it knows, for every request. Those of its own
    // that have options it writes twice, character by character.
    var defaults = ""
    if !hasAgent, let agent = configuration.userAgent { defaults = "User-Agent: \(agent)" }
    if !hasCodings { defaults += "\(defaults.isEmpty ? "" : "\r\n")Accept-Encoding: \(supportedContentCodings)" }
    if !hasLanguages, let languages = configuration.acceptLanguage {
      defaults += "\(defaults.isEmpty ? "" : "\r\n")Accept-Language: \(languages)"
    }
    if !defaults.isEmpty { append(defaults) }
    _ = ccurl_set_list(curl, CURLOPT_HTTPHEADER, headerList)
  }

  private func append(_ line: String) {
    // Nil only when memory ran out; the list is then as before.
    if let list = curl_slist_append(headerList, line) { headerList = list }
  }

  private func append(_ octets: [UInt8]) {
    (octets + [0]).withUnsafeBytes { line in
      guard let line = line.baseAddress?.assumingMemoryBound(to: CChar.self) else { return }
      if let list = curl_slist_append(headerList, line) { headerList = list }
    }
  }

  func clearHeaders() {
    _ = ccurl_set_list(curl, CURLOPT_HTTPHEADER, nil)
    curl_slist_free_all(headerList)
    headerList = nil
    headers = []
  }
}
