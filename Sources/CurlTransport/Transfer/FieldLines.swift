import Glibc
internal import URLLoadingBase

/// Header fields as bytes, converted to strings on demand: programs read few fields of most responses.
struct FieldLines: Sendable {
  /// What a usual head needs.
  private static let usualCapacity = 512

  /// The lines as they came, each ended by a line feed, which is nowhere else in them. Each has a name and a colon.
  private var bytes: [UInt8] = []
  /// Lines; folded ones belong to the line before.
  private(set) var count = 0

  /// Adds a line, with its line end or without.
  mutating func append(_ line: UnsafeRawBufferPointer) {
    if bytes.isEmpty { bytes.reserveCapacity(Self.usualCapacity) }
    bytes.append(contentsOf: line)
    if line.last != 10 { bytes.append(10) }
    count += 1
  }

  /// Adds whole lines, each with its line end.
  mutating func append(_ lines: UnsafeRawBufferPointer, count: Int) {
    bytes.append(contentsOf: lines)
    self.count += count
  }

  /// Appends to the value of the last line, if there is one.
  mutating func appendFolded(_ value: UnsafeRawBufferPointer) {
    guard count > 0 else { return }
    while let last = bytes.last, last == 10 || last == 13 || ResponseHeadParser.isBlank(last) { bytes.removeLast() }
    bytes.append(32)
    bytes.append(contentsOf: value)
    bytes.append(10)
  }

  /// Makes spaces of carriage returns within a value (RFC 9110, section 5.5).
  /// - Parameter count: how many of the last bytes may have some; a line feed stays.
  mutating func replaceCarriageReturns(inLast count: Int) {
    for index in max(0, bytes.count - count - 1)..<bytes.count where bytes[index] == 13 { bytes[index] = 32 }
  }

  /// The values of the fields with this name, given in lower case.
  func values(of name: StaticString) -> [String] {
    var result: [String] = []
    forEach { field, value in
      guard field.count == name.utf8CodeUnitCount, ResponseHeadParser.equal(field, name) else { return }
      result.append(ResponseHeadParser.string(value))
    }
    return result
  }

  /// The same, where the octets matter.
  func octetValues(of name: StaticString) -> [OctetText] {
    var result: [OctetText] = []
    forEach { field, value in
      guard field.count == name.utf8CodeUnitCount, ResponseHeadParser.equal(field, name) else { return }
      result.append(OctetText(octets: value))
    }
    return result
  }

  var fields: [(name: String, value: String)] {
    var result: [(name: String, value: String)] = []
    result.reserveCapacity(count)
    forEach { result.append((FieldNames.string($0), FieldOctets.text(of: $1, in: $0))) }
    return result
  }

  private func forEach(_ body: (_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Void) {
    bytes.withUnsafeBytes { bytes in
      var rest = bytes
      while let start = rest.baseAddress, let found = memchr(start, 10, rest.count) {
        let end = UnsafeRawPointer(found) - start
        var line = UnsafeRawBufferPointer(rebasing: rest[..<end])
        rest = UnsafeRawBufferPointer(rebasing: rest[(end + 1)...])
        while line.last == 13 { line = UnsafeRawBufferPointer(rebasing: line.dropLast()) }
        guard let colon = ResponseHeadParser.colon(in: line) else { continue }
        body(
          ResponseHeadParser.trimmed(UnsafeRawBufferPointer(rebasing: line[..<colon])),
          ResponseHeadParser.trimmed(UnsafeRawBufferPointer(rebasing: line[(colon + 1)...])))
      }
    }
  }
}
