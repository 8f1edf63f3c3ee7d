import Foundation
internal import URLLoadingBase

/// Takes a body of the type `multipart/x-mixed-replace` apart (RFC 2046, section 5.1): a value without I/O.
///
/// A delimiter is one at the beginning of a line alone, or where the part's own `Content-Length` ends: cameras leave out the line break
/// ahead of it. What is ahead of the first delimiter and behind the last is no part.
package struct MixedReplaceParser {
  package enum Event: Equatable {
    /// A part begins, with these fields.
    case head([Field])
    /// More of the part.
    case bytes(Data)
    /// The part is whole.
    case end
  }

  package struct Field: Equatable {
    package var name: String
    package var value: String
  }

  /// The head of a part is longer than any server has reason to send.
  package struct HeadTooLarge: Error {}

  /// In bytes, of one part.
  package static let largestHead = 64 << 10
  /// Spaces that may stand behind a delimiter ("transport-padding").
  private static let longestPadding = 256

  private static let (lineFeed, carriageReturn, space, tab): (UInt8, UInt8, UInt8, UInt8) = (0x0A, 0x0D, 0x20, 0x09)

  private enum Phase { case preamble, head, body, epilogue }
  private enum Match: Equatable { case none, incomplete, found(next: Int, isLast: Bool) }

  private var phase = Phase.preamble
  /// What was not taken apart yet.
  private var buffer: [UInt8] = []
  /// The buffer begins at the beginning of a line.
  private var isAtLine = true
  /// The delimiters to look for, the longer first: with two until the first has come.
  private var delimiters: [[UInt8]]
  /// Bytes of the part that were passed on.
  private var passed = 0
  private var announced: Int?

  /// - Parameter boundary: the parameter of the field. Many cameras write the two dashes of the delimiter into it, too; the first delimiter
  ///   that comes tells.
  package init(boundary: String) {
    delimiters = ["--" + boundary].map { Array($0.utf8) }
    if boundary.hasPrefix("--") { delimiters.append(Array(boundary.utf8)) }
  }

  /// The boundary that a `Content-Type` names; nil where the type is another, or there is none.
  package static func boundary(inContentType value: String) -> String? {
    var scanner = FieldScanner(value)
    scanner.skipWhitespace()
    guard let type = scanner.token(), scanner.skip("/"), let subtype = scanner.token(),
      type.equalsIgnoringASCIICase("multipart"), subtype.equalsIgnoringASCIICase("x-mixed-replace")
    else { return nil }
    let boundary = scanner.parameters().first { $0.name == "boundary" }?.value.trimmingFieldWhitespace ?? ""
    return boundary.isEmpty ? nil : String(boundary)
  }

  /// Takes more of the body.
  package mutating func take(_ data: Data) throws(HeadTooLarge) -> [Event] {
    var events: [Event] = []
    guard phase != .epilogue else { return events }
    buffer.append(contentsOf: data)
    while true {
      let goesOn =
        switch phase {
        case .preamble: skipPreamble()
        case .head: try takeHead(&events)
        case .body: takeBody(&events)
        case .epilogue: false
        }
      guard goesOn else { break }
    }
    if phase == .epilogue { buffer = [] }
    return events
  }

  /// The body has ended: what may have been the beginning of a delimiter is the part's.
  package mutating func finish() -> [Event] {
    defer { (phase, buffer) = (.epilogue, []) }
    guard phase == .body else { return [] }
    return (buffer.isEmpty ? [] : [.bytes(Data(buffer))]) + [.end]
  }

  // MARK: Phases, each of which says whether the next may go on

  private mutating func skipPreamble() -> Bool {
    var line = isAtLine ? 0 : nextLine(from: 0)
    while let start = line {
      switch match(at: start) {
      case .found(let next, let isLast):
        begin(at: next, isLast)
        return true
      case .incomplete:
        drop(start)
        isAtLine = true
        return false
      case .none: line = nextLine(from: start)
      }
    }
    isAtLine = false
    drop(buffer.count)
    return false
  }

  private mutating func takeHead(_ events: inout [Event]) throws(HeadTooLarge) -> Bool {
    var start = 0
    var lines: [ArraySlice<UInt8>] = []
    while let end = buffer[start...].firstIndex(of: Self.lineFeed) {
      guard end <= Self.largestHead else { throw HeadTooLarge() }
      let line = buffer[start..<(end > start && buffer[end - 1] == Self.carriageReturn ? end - 1 : end)]
      start = end + 1
      if line.isEmpty {
        let fields = Self.fields(of: lines)
        drop(start)
        (phase, isAtLine, passed) = (.body, true, 0)
        announced = fields.last { $0.name.equalsIgnoringASCIICase("Content-Length") }.flatMap { Int($0.value) }
        events.append(.head(fields))
        return true
      }
      lines.append(line)
    }
    guard buffer.count <= Self.largestHead else { throw HeadTooLarge() }
    return false
  }

  private mutating func takeBody(_ events: inout [Event]) -> Bool {
    var candidate = isAtLine ? 0 : nextCandidate(from: 0)
    while let start = candidate {
      let match = match(at: start)
      guard match != .none else {
        candidate = nextCandidate(from: start + 1)
        continue
      }
      let end = endOfPart(ahead: start)
      pass(end, &events)
      guard case .found(let next, let isLast) = match else {
        drop(end)
        isAtLine = end == start
        return false
      }
      events.append(.end)
      begin(at: next, isLast)
      return true
    }
    // The line break ahead of a delimiter is a part of it.
    let end = buffer.last == Self.carriageReturn ? buffer.count - 1 : buffer.count
    pass(end, &events)
    drop(end)
    isAtLine = false
    return false
  }

  private mutating func begin(at next: Int, _ isLast: Bool) {
    drop(next)
    phase = isLast ? .epilogue : .head
  }

  private mutating func pass(_ count: Int, _ events: inout [Event]) {
    guard count > 0 else { return }
    events.append(.bytes(Data(buffer[..<count])))
    passed += count
  }

  private mutating func drop(_ count: Int) { buffer.removeFirst(count) }

  // MARK: Delimiters

  private func nextLine(from start: Int) -> Int? {
    buffer[start...].firstIndex(of: Self.lineFeed).map { $0 + 1 }
  }

  /// Where a delimiter may begin, from `start` on.
  private func nextCandidate(from start: Int) -> Int? {
    guard start <= buffer.count else { return nil }
    let line = nextLine(from: max(0, start - 1))
    guard let announced, announced >= passed, announced - passed >= start, announced - passed <= buffer.count else {
      return line
    }
    return min(announced - passed, line ?? .max)
  }

  /// Where the part ends whose delimiter may begin at `start`: ahead of the line break, unless the part has its announced length with it.
  private func endOfPart(ahead start: Int) -> Int {
    guard start > 0, buffer[start - 1] == Self.lineFeed, passed + start != announced else { return start }
    return start > 1 && buffer[start - 2] == Self.carriageReturn ? start - 2 : start - 1
  }

  private mutating func match(at start: Int) -> Match {
    var isIncomplete = false
    for delimiter in delimiters {
      let rest = buffer[start...].prefix(delimiter.count)
      guard delimiter.starts(with: rest) else { continue }
      guard rest.count == delimiter.count else {
        isIncomplete = true
        continue
      }
      switch matchEnd(at: start + delimiter.count) {
      case .none: continue
      case .incomplete: isIncomplete = true
      case .found(let next, let isLast):
        delimiters = [delimiter]
        return .found(next: next, isLast: isLast)
      }
    }
    return isIncomplete ? .incomplete : .none
  }

  /// What stands after a delimiter: two dashes, or the end of the line.
  private func matchEnd(at start: Int) -> Match {
    let rest = buffer[start...].prefix(Self.longestPadding)
    if rest.starts(with: "--".utf8) { return .found(next: start + 2, isLast: true) }
    if rest.elementsEqual("-".utf8) { return .incomplete }
    guard let end = rest.firstIndex(where: { $0 != Self.space && $0 != Self.tab }) else {
      return rest.count < Self.longestPadding ? .incomplete : .none
    }
    if buffer[end] == Self.lineFeed { return .found(next: end + 1, isLast: false) }
    guard buffer[end] == Self.carriageReturn else { return .none }
    guard end + 1 < buffer.count else { return .incomplete }
    return buffer[end + 1] == Self.lineFeed ? .found(next: end + 2, isLast: false) : .none
  }

  // MARK: Fields

  /// Lines that are no field are passed over; a folded one belongs to the field before (RFC 5322, section 2.2.3).
  private static func fields(of lines: [ArraySlice<UInt8>]) -> [Field] {
    var fields: [Field] = []
    for line in lines {
      let text = String(decoding: line, as: UTF8.self)
      if line.first == Self.space || line.first == Self.tab {
        guard let last = fields.indices.last else { continue }
        fields[last].value += " " + String(text.trimmingFieldWhitespace)
      } else if let colon = text.firstIndex(of: ":"), colon > text.startIndex {
        fields.append(
          Field(
            name: String(text[..<colon].trimmingFieldWhitespace),
            value: String(text[text.index(after: colon)...].trimmingFieldWhitespace)))
      }
    }
    return fields
  }
}
