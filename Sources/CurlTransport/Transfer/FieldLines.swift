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

  var fields: [(name: String, value: String)] {
    var result: [(name: String, value: String)] = []
    result.reserveCapacity(count)
    bytes.withUnsafeBytes { bytes in
      var rest = bytes[...]
      func next() -> UnsafeRawBufferPointer? {
        guard let end = rest.firstIndex(of: 10) else { return nil }
        defer { rest = rest[(end + 1)...] }
        return UnsafeRawBufferPointer(rebasing: rest[..<end])
      }
      while let name = next(), let value = next() {
        result.append((FieldNames.string(name), ResponseHeadParser.string(value)))
      }
    }
    return result
  }
}
