/// Takes fields off the front of bytes in SSH's encoding (RFC 4251, section 5). Nothing that the bytes say is trusted.
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

  /// A length and so many bytes.
  mutating func string() -> ArraySlice<UInt8>? {
    var copy = self
    guard let count = copy.uint32(), let bytes = copy.bytes(Int(count)) else { return nil }
    self = copy
    return bytes
  }

  /// A string that is text.
  mutating func text() -> String? {
    string().flatMap { String(validating: $0, as: UTF8.self) }
  }

  /// A string that is names with commas between them.
  mutating func nameList() -> [String]? {
    text().map { $0.split(separator: ",").map(String.init) }
  }

  mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
    guard count >= 0, count <= rest.count else { return nil }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }
}
