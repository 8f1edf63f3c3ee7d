internal import URLLoadingBase
internal import URLLoadingCCurl

/// The header fields of a request, and those that libcurl would add by itself.
extension EasyHandle {
  func setHeaders(
    _ new: [(name: String, value: String)], _ shape: EasyHandleShape, _ configuration: TransferEngineConfiguration
  ) {
    fieldList.removeAll()
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
    for name in omitted.isEmpty ? [] : omitted.sorted() {
      // Without its framing a body would be parsed as the next request (request smuggling).
      if name == "content-length" || name == "transfer-encoding" { continue }
      fieldList.append("\(name):")
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
      // The engine frames the message (RFC 9112 section 6): contradictory lengths allow request smuggling.
      var isFraming = false
      switch name.utf8.count {
      case 6:
        if name.equalsIgnoringASCIICase("accept") { hasAccept = true }
        if name.equalsIgnoringASCIICase("expect") { hasExpect = true }
      case 10: if name.equalsIgnoringASCIICase("user-agent") { hasAgent = true }
      case 12: if name.equalsIgnoringASCIICase("content-type") { hasType = true }
      case 14: isFraming = name.equalsIgnoringASCIICase("content-length")
      case 15:
        if name.equalsIgnoringASCIICase("accept-encoding") { hasCodings = true }
        if name.equalsIgnoringASCIICase("accept-language") { hasLanguages = true }
      case 17: isFraming = name.equalsIgnoringASCIICase("transfer-encoding")
      default: break
      }
      if isFraming { continue }
      if let octets = Self.octets(of: (name, value), shape) {
        fieldList.append(octets)
      } else {
        fieldList.append(name, value)
      }
    }
    // A name without a value keeps libcurl from adding the field by itself.
    if !hasAccept, !configuration.sendsDefaultAccept { fieldList.append("Accept:") }
    if shape.hasBody, !hasExpect { fieldList.append("Expect:") }
    // With POST libcurl takes the body for a form's.
    if !hasType { fieldList.append("Content-Type:") }
    // The bytes after the head are not a body, and have no coding.
    if shape.switchesProtocols { fieldList.append("Transfer-Encoding:") }
    if let line = defaultFields(agent: !hasAgent, codings: !hasCodings, languages: !hasLanguages, configuration) {
      fieldList.append(line)
    }
    let list = fieldList.linked()
    hasFields = list != nil
    _ = ccurl_set_list(curl, CURLOPT_HTTPHEADER, list)
  }

  /// The line of a field that is sent as ISO-8859-1; nil for one that is not.
  private static func octets(of field: (name: String, value: String), _ shape: EasyHandleShape) -> [UInt8]? {
    guard !shape.latin1Fields.isEmpty, shape.latin1Fields.contains(field.name.lowercased()) else { return nil }
    let value = field.value.trimmingFieldWhitespace
    return (value.isEmpty ? "\(field.name);" : "\(field.name): \(value)").latin1Octets
  }

  /// Those that requests have of the configuration: all lines in one entry, because libcurl compares each entry with all names that it knows,
  /// for every request. Those of its own that have options it writes twice, character by character. Nil for none.
  private func defaultFields(
    agent: Bool, codings: Bool, languages: Bool, _ configuration: TransferEngineConfiguration
  ) -> String? {
    let choice = (agent ? 1 : 0) | (codings ? 2 : 0) | (languages ? 4 : 0)
    if let last = lastDefaultFields, last.choice == choice { return last.line }
    var lines: [String] = []
    if agent, let value = configuration.userAgent { lines.append("User-Agent: \(value)") }
    if codings { lines.append("Accept-Encoding: \(supportedContentCodings)") }
    if languages, let value = configuration.acceptLanguage { lines.append("Accept-Language: \(value)") }
    let line = lines.isEmpty ? nil : lines.joined(separator: "\r\n")
    lastDefaultFields = (choice, line)
    return line
  }

  func clearHeaders() {
    _ = ccurl_set_list(curl, CURLOPT_HTTPHEADER, nil)
    hasFields = false
    headers = []
  }
}
