import URLLoading
internal import URLLoadingHTTPSemantics

/// Reads a `multistatus` document (RFC 4918, section 13), the answer to `PROPFIND` and to what was done in part, as it comes: a state machine
/// without I/O, which keeps no more than one resource.
struct MultistatusReader {
  private static let namespace = "DAV:"

  /// What the text of an element is.
  private enum Field {
    case reference, status, propertyStatus, size, modificationDate, entityTag, mediaType
  }

  private var scanner: XMLScanner
  private let limits: XMLLimits
  /// The elements that have begun, the outermost first; nil for those of other namespaces.
  private var path: [String?] = []
  /// The text of the innermost element, and what it is; nil where it does not matter.
  private var text: (field: Field, bytes: [UInt8])?

  // Of the response that is being read.
  private var references: [[UInt8]] = []
  private var status: Int?
  private var found = MultistatusResource.Properties()
  // Of its `propstat`.
  private var propertyStatus: Int?
  private var properties = MultistatusResource.Properties()

  /// - Parameter charset: the character set that the answer's head names.
  init(charset: String? = nil, limits: XMLLimits = XMLLimits()) {
    scanner = XMLScanner(namespace: Self.namespace, charset: charset, limits: limits)
    self.limits = limits
  }

  /// Reads the next bytes.
  /// - Returns: the resources that they complete.
  mutating func read(_ bytes: some Sequence<UInt8>) throws(XMLViolation) -> [MultistatusResource] {
    var resources: [MultistatusResource] = []
    for event in try scanner.read(bytes) {
      switch event {
      case .start(let name): try begin(name)
      case .text(let bytes): try append(bytes)
      case .end(let name): try end(name, &resources)
      }
    }
    return resources
  }

  /// There are no more bytes.
  /// - Throws: `truncated` where the document is not whole: what came before is no complete answer then.
  mutating func finish() throws(XMLViolation) { try scanner.finish() }

  // MARK: Elements

  private mutating func begin(_ name: String?) throws(XMLViolation) {
    if path.isEmpty, name != "multistatus" {
      throw .otherDocument("it begins with another element than DAV:multistatus")
    }
    let parent = path.last ?? nil
    path.append(name)
    text = Self.field(name, in: parent, depth: path.count).map { ($0, []) }
    switch (path.count, name, parent) {
    case (2, "response", _): (references, status, found) = ([], nil, .init())
    case (3, "propstat", "response"): (propertyStatus, properties) = (nil, .init())
    case (5, "resourcetype", "prop"): properties.isDirectory = properties.isDirectory ?? false
    case (6, "collection", "resourcetype"): properties.isDirectory = true
    default: break
    }
  }

  private static func field(_ name: String?, in parent: String?, depth: Int) -> Field? {
    switch (depth, parent, name) {
    case (3, "response", "href"): .reference
    case (3, "response", "status"): .status
    case (4, "propstat", "status"): .propertyStatus
    case (5, "prop", "getcontentlength"): .size
    case (5, "prop", "getlastmodified"): .modificationDate
    case (5, "prop", "getetag"): .entityTag
    case (5, "prop", "getcontenttype"): .mediaType
    default: nil
    }
  }

  private mutating func append(_ bytes: [UInt8]) throws(XMLViolation) {
    guard text != nil else { return }
    text?.bytes += bytes
    guard let count = text?.bytes.count, count <= limits.text else {
      throw .limit("a text's length in bytes", limits.text)
    }
  }

  private mutating func end(_ name: String?, _ resources: inout [MultistatusResource]) throws(XMLViolation) {
    path.removeLast()
    if let (field, bytes) = text { try take(field, Self.trimmed(bytes)) }
    text = nil
    switch (path.count, name) {
    case (2, "propstat"):
      // Without a status they are taken for found.
      if (200..<300).contains(propertyStatus ?? 200) { merge() }
    case (1, "response"):
      guard !references.isEmpty else { throw .otherDocument("a response names no resource") }
      for reference in references {
        resources.append(MultistatusResource(reference: reference, status: status, properties: found))
      }
    default: break
    }
  }

  private mutating func merge() {
    found.isDirectory = properties.isDirectory ?? found.isDirectory
    found.size = properties.size ?? found.size
    found.modificationDate = properties.modificationDate ?? found.modificationDate
    found.entityTag = properties.entityTag ?? found.entityTag
    found.mediaType = properties.mediaType ?? found.mediaType
  }

  private mutating func take(_ field: Field, _ bytes: [UInt8]) throws(XMLViolation) {
    let value = String(decoding: bytes, as: UTF8.self)
    switch field {
    case .reference:
      guard references.count < limits.names else { throw .limit("the names of a response", limits.names) }
      references.append(bytes)
    case .status: status = try Self.status(value)
    case .propertyStatus: propertyStatus = try Self.status(value)
    // A sign is none.
    case .size: properties.size = bytes.first.map { (0x30...0x39).contains($0) } == true ? Int64(value) : nil
    case .modificationDate: properties.modificationDate = HTTPDate.date(from: value, now: Date())
    // WsgiDAV leaves the quotes out.
    case .entityTag: properties.entityTag = value.isEmpty ? nil : value.hasSuffix("\"") ? value : "\"\(value)\""
    case .mediaType: properties.mediaType = value.isEmpty ? nil : value
    }
  }

  /// The number in `HTTP/1.1 200 OK`.
  private static func status(_ line: String) throws(XMLViolation) -> Int {
    let words = line.split(separator: " ")
    guard words.count >= 2, words[0].hasPrefix("HTTP/"), words[1].count == 3, let number = Int(words[1]),
      (100..<600).contains(number)
    else { throw .otherDocument("a status is no status line") }
    return number
  }

  private static func trimmed(_ bytes: [UInt8]) -> [UInt8] {
    guard let first = bytes.firstIndex(where: { !XMLTag.isSpace($0) }),
      let last = bytes.lastIndex(where: { !XMLTag.isSpace($0) })
    else { return [] }
    return Array(bytes[first...last])
  }
}
