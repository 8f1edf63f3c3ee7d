/// Header fields as bytes, until somebody wants strings.
struct FieldLines: Sendable {
  /// Names and values, each ended by a line feed, which neither can contain.
  private var bytes: [UInt8] = []
  private(set) var count = 0

  mutating func append(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
    // What a usual head needs, at once.
    if bytes.isEmpty { bytes.reserveCapacity(400) }
    bytes.append(contentsOf: name)
    bytes.append(10)
    bytes.append(contentsOf: value)
    bytes.append(10)
    count += 1
  }

  /// Goes on with the last value.
  mutating func appendFolded(_ value: UnsafeRawBufferPointer) {
    guard count > 0 else { return }
    bytes[bytes.count - 1] = 32
    bytes.append(contentsOf: value)
    bytes.append(10)
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

  var fields: [(name: String, value: String)] {
    var result: [(name: String, value: String)] = []
    result.reserveCapacity(count)
    forEach { result.append((FieldNames.string($0), ResponseHeadParser.string($1))) }
    return result
  }

  private func forEach(_ body: (_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Void) {
    bytes.withUnsafeBytes { bytes in
      var rest = bytes[...]
      func next() -> UnsafeRawBufferPointer? {
        guard let end = rest.firstIndex(of: 10) else { return nil }
        defer { rest = rest[(end + 1)...] }
        return UnsafeRawBufferPointer(rebasing: rest[..<end])
      }
      while let name = next(), let value = next() { body(name, value) }
    }
  }
}
