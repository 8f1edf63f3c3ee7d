import Testing

@testable import ArchiveProtocol

/// Orders of members that no tool writes by itself.
struct LinkOrderTests {
  /// The blocks of a tar archive of empty files, or of links where there is a target.
  private static func tar(_ members: [(name: String, target: String?)]) -> [UInt8] {
    members.reduce(into: []) { bytes, member in
      var header = [UInt8](repeating: 0, count: 512)
      func put(_ text: String, at position: Int) {
        header.replaceSubrange(position..<(position + text.utf8.count), with: Array(text.utf8))
      }
      put(member.name, at: 0)
      for (text, position) in [("0000644", 100), ("0000000", 108), ("0000000", 116), ("00000000000", 136)] {
        put(text, at: position)
      }
      put(member.target == nil ? "00000000001" : "00000000000", at: 124)
      put("        ", at: 148)
      put(member.target == nil ? "0" : "1", at: 156)
      put(member.target ?? "", at: 157)
      put("ustar\u{0}00", at: 257)
      let sum = header.reduce(0) { $0 + Int($1) }
      let octal = String(sum, radix: 8)
      put(String(repeating: "0", count: 6 - octal.utf8.count) + octal + "\u{0} ", at: 148)
      bytes += header
      if member.target == nil { bytes += Array(member.name.utf8.prefix(1)) + [UInt8](repeating: 0, count: 511) }
    } + [UInt8](repeating: 0, count: 1024)
  }

  @Test func linksBeforeTheirTargets() throws {
    let opened = try OpenedArchive(
      MemoryByteSource(
        Self.tar([
          ("b", "a"), ("a", nil), ("a", "b"), ("self", "self"), ("c", nil), ("c", "d"), ("d", nil), ("x", "y"),
          ("y", "x"),
        ])))
    let index = ArchiveIndex(opened.entries)
    func load(_ path: String) throws -> String? {
      guard case .member(let entry) = index.resolve(Array(path.utf8)) else { return nil }
      return String(decoding: try opened.read(entry), as: UTF8.self)
    }
    #expect(try load("a") == "a" && load("b") == "a" && load("c") == "c" && load("d") == "d")
    #expect(index[Array("self".utf8)] == nil)
    #expect(index.resolve(Array("x".utf8)) == .tooManyLinks)
  }
}
