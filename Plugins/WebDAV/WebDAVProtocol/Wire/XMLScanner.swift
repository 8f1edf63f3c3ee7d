/// Reads XML 1.0 with namespaces as it comes, in whatever pieces: a state machine without I/O, which keeps no more than one tag.
///
/// It reads what protocols write, and so no document types: there are no entities but the five of XML, nothing outside is ever asked for,
/// and no document becomes longer than it is. What `XMLLimits` has no room for is an error. Comments and instructions are skipped.
struct XMLScanner {
  /// What is in a document, in its order.
  enum Event: Equatable {
    /// An element begins: its name, if it is of the namespace that is looked for.
    case start(String?)
    /// A piece of the text of the innermost element; a text may come in several.
    case text([UInt8])
    /// The innermost element ends.
    case end(String?)
  }

  /// An element that has begun.
  private struct Open {
    let tag: [UInt8]
    let name: String?
    /// How many prefixes were bound outside of it.
    let outerBindings: Int
  }

  /// A prefix, and whether it stands for the namespace that is looked for.
  private struct Binding {
    let prefix: [UInt8]
    let isWanted: Bool
  }

  private enum Mode {
    case content
    /// Up to these bytes: a comment or an instruction.
    case skipping([UInt8])
    case characterData
  }

  private let namespace: [UInt8]
  private let limits: XMLLimits
  private var decoding: XMLDecoding
  private var mode = Mode.content
  /// What was not read yet, less than a token.
  private var rest: [UInt8] = []
  private var open: [Open] = []
  private var bindings: [Binding] = []
  private var hasRoot = false

  /// - Parameters:
  ///   - namespace: whose names are reported.
  ///   - charset: the character set that the answer's head names.
  init(namespace: String, charset: String? = nil, limits: XMLLimits = XMLLimits()) {
    self.namespace = Array(namespace.utf8)
    self.limits = limits
    decoding = XMLDecoding(charset: charset)
  }

  /// Reads the next bytes.
  /// - Throws: for what is no XML, or exceeds a limit. Nothing can be read after that.
  mutating func read(_ bytes: some Sequence<UInt8>) throws(XMLViolation) -> [Event] {
    rest += try decoding.decode(bytes)
    var events: [Event] = []
    var position = 0
    while position < rest.count, let next = try step(from: position, &events) { position = next }
    rest.removeFirst(position)
    guard rest.count <= limits.tag else { throw .limit("a tag's length in bytes", limits.tag) }
    return events
  }

  /// There are no more bytes.
  mutating func finish() throws(XMLViolation) {
    guard case .content = mode, decoding.isComplete, rest.isEmpty, hasRoot, open.isEmpty else { throw .truncated }
  }

  /// Reads one token.
  /// - Returns: where the next one begins; nil where this one is not there as a whole.
  private mutating func step(from position: Int, _ events: inout [Event]) throws(XMLViolation) -> Int? {
    switch mode {
    case .skipping(let end): return skip(to: end, from: position)
    case .characterData: return characterData(from: position, &events)
    case .content:
      switch rest[position] {
      case UInt8(ascii: "<"): return try markup(from: position, &events)
      case UInt8(ascii: "&"): return try reference(from: position, &events)
      default: return try text(from: position, &events)
      }
    }
  }

  // MARK: Text

  private mutating func text(from position: Int, _ events: inout [Event]) throws(XMLViolation) -> Int {
    var end = position
    var isBlank = true
    scan: while end < rest.count {
      switch rest[end] {
      case UInt8(ascii: "<"), UInt8(ascii: "&"): break scan
      case 0x20, 0x0A, 0x0D, 0x09: break
      case 0..<0x20: throw .malformed("a control character")
      default: isBlank = false
      }
      end += 1
    }
    if open.isEmpty {
      guard isBlank else { throw .malformed("text outside of the document's element") }
    } else {
      events.append(.text(Array(rest[position..<end])))
    }
    return end
  }

  private func reference(from position: Int, _ events: inout [Event]) throws(XMLViolation) -> Int? {
    guard !open.isEmpty else { throw .malformed("text outside of the document's element") }
    guard let (bytes, length) = try XMLReference.read(rest[position...]) else { return nil }
    events.append(.text(bytes))
    return position + length
  }

  private mutating func characterData(from position: Int, _ events: inout [Event]) -> Int? {
    let end = Self.place(of: Array("]]>".utf8), in: rest, from: position)
    // The last two bytes may begin the end.
    let last = end ?? max(position, rest.count - 2)
    if last > position { events.append(.text(Array(rest[position..<last]))) }
    guard end == nil else {
      mode = .content
      return last + 3
    }
    return last > position ? last : nil
  }

  private mutating func skip(to end: [UInt8], from position: Int) -> Int? {
    if let place = Self.place(of: end, in: rest, from: position) {
      mode = .content
      return place + end.count
    }
    let last = rest.count - (end.count - 1)
    return last > position ? last : nil
  }

  private static func place(of end: [UInt8], in bytes: [UInt8], from position: Int) -> Int? {
    var index = position
    while index + end.count <= bytes.count {
      if bytes[index] == end[0], bytes[index..<(index + end.count)].elementsEqual(end) { return index }
      index += 1
    }
    return nil
  }

  // MARK: Markup

  private static let commentStart = Array("<!--".utf8)
  private static let dataStart = Array("<![CDATA[".utf8)

  private mutating func markup(from position: Int, _ events: inout [Event]) throws(XMLViolation) -> Int? {
    guard position + 1 < rest.count else { return nil }
    switch rest[position + 1] {
    case UInt8(ascii: "?"):
      mode = .skipping(Array("?>".utf8))
      return position + 2
    case UInt8(ascii: "!"):
      let token = rest[position...].prefix(Self.dataStart.count)
      if token.starts(with: Self.commentStart) {
        mode = .skipping(Array("-->".utf8))
        return position + Self.commentStart.count
      }
      if token.elementsEqual(Self.dataStart) {
        guard !open.isEmpty else { throw .malformed("text outside of the document's element") }
        mode = .characterData
        return position + Self.dataStart.count
      }
      guard Self.commentStart.starts(with: token) || Self.dataStart.starts(with: token) else { throw .documentType }
      return nil
    case UInt8(ascii: "/"):
      guard let end = rest[position...].firstIndex(of: UInt8(ascii: ">")) else { return nil }
      events.append(.end(try close(rest[(position + 2)..<end])))
      return end + 1
    default:
      guard let end = try endOfTag(from: position + 1) else { return nil }
      guard end - position <= limits.tag else { throw .limit("a tag's length in bytes", limits.tag) }
      let tag = try XMLTag(rest[(position + 1)..<end], limits)
      let name = try begin(tag)
      events.append(.start(name))
      if tag.isEmpty { events.append(.end(try close(tag.name[...]))) }
      return end + 1
    }
  }

  /// The place of the `>` that ends a start tag: one within quotes does not.
  private func endOfTag(from position: Int) throws(XMLViolation) -> Int? {
    var quote: UInt8?
    for index in position..<rest.count {
      let byte = rest[index]
      if byte == UInt8(ascii: "<") { throw .malformed("a tag within a tag") }
      if let open = quote {
        if byte == open { quote = nil }
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        quote = byte
      } else if byte == UInt8(ascii: ">") {
        return index
      }
    }
    return nil
  }

  private mutating func begin(_ tag: XMLTag) throws(XMLViolation) -> String? {
    guard !open.isEmpty || !hasRoot else { throw .malformed("a second element behind the document's") }
    guard open.count < limits.depth else { throw .limit("the depth of elements", limits.depth) }
    hasRoot = true
    let outer = bindings.count
    for (prefix, uri) in tag.namespaces {
      bindings.append(Binding(prefix: prefix, isWanted: uri == namespace))
    }
    for prefix in tag.attributePrefixes { _ = try isWanted(prefix) }
    let isWanted = try isWanted(tag.prefix)
    let name = isWanted ? String(decoding: tag.localName, as: UTF8.self) : nil
    open.append(Open(tag: tag.name, name: name, outerBindings: outer))
    return name
  }

  private mutating func close(_ tag: ArraySlice<UInt8>) throws(XMLViolation) -> String? {
    var tag = tag
    while let last = tag.last, XMLTag.isSpace(last) { tag.removeLast() }
    guard let element = open.popLast(), element.tag.elementsEqual(tag) else {
      throw .malformed("the end of an element that has not begun")
    }
    bindings.removeLast(bindings.count - element.outerBindings)
    return element.name
  }

  /// Whether a prefix stands for the namespace that is looked for.
  private func isWanted(_ prefix: [UInt8]) throws(XMLViolation) -> Bool {
    if let binding = bindings.last(where: { $0.prefix == prefix }) { return binding.isWanted }
    guard prefix.isEmpty || prefix == Array("xml".utf8) else { throw .malformed("a prefix without a namespace") }
    return false
  }
}
