/// Reads fields in SSH's encoding (RFC 4251, section 5) from untrusted bytes.
struct SSHFieldReader {
  private(set) var rest: ArraySlice<UInt8>

  init(_ bytes: some Collection<UInt8>) {
    rest = ArraySlice(bytes)
  }

  mutating func byte() -> UInt8? { rest.popFirst() }

  mutating func uint32() -> UInt32? {
    guard let bytes = bytes(4) else { return nil }
    return bytes.reduce(0) { $0 << 8 | UInt32($1) }
  }

  mutating func string() -> ArraySlice<UInt8>? {
    var copy = self
    guard let count = copy.uint32(), let bytes = copy.bytes(Int(count)) else { return nil }
    self = copy
    return bytes
  }

  mutating func text() -> String? {
    string().flatMap { String(validating: $0, as: UTF8.self) }
  }

  mutating func nameList() -> [String]? {
    text().map { $0.split(separator: ",").map(String.init) }
  }

  mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
    guard count >= 0, count <= rest.count else { return nil }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }
}
