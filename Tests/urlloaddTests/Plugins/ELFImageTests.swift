import Testing
import URLLoadingTestServers

@testable import urlloadd

/// Shared objects, and what only looks like one.
@Suite struct ELFImageTests {
  private func read(_ bytes: [UInt8]) throws(PluginError) -> ELFImage {
    try ELFImage(
      ELFFile(size: UInt64(bytes.count)) { offset, count in
        guard offset < UInt64(bytes.count), count > 0 else { return [] }
        return Array(bytes[Int(offset)...].prefix(count))
      })
  }

  @Test func aWholeOneIsRead() throws {
    let image = try read(MadeELF().bytes)
    #expect(image.machine == 62)
    #expect(image.needed == ["libURLLoading.so", "libswiftCore.so", "libc.so.6"])
    #expect(image.notes.compactMap { BuildMark($0) } == [BuildMark(version: "0.1.0", compiler: "swift-6.3.1")])
  }

  /// Of every prefix nothing is read that is not there.
  @Test func noPrefixIsTakenForTheWhole() {
    let whole = MadeELF().bytes
    for count in 0..<whole.count {
      #expect(throws: PluginError.self, "\(count) bytes") { try read(Array(whole.prefix(count))) }
    }
  }

  @Test func otherFilesAreNone() {
    #expect(throws: PluginError.notShared) { try read([]) }
    #expect(throws: PluginError.notShared) { try read(Array(repeating: 0, count: 4096)) }
    #expect(throws: PluginError.notShared) { try read(Array("#!/bin/sh\n".utf8) + Array(repeating: 32, count: 100)) }
    // An executable that is linked to an address.
    #expect(throws: PluginError.notShared) { try read(MadeELF(type: 2).bytes) }
    // 32 bits, big-endian.
    for (place, value) in [(4, 1), (5, 2)] as [(Int, UInt8)] {
      var bytes = MadeELF().bytes
      bytes[place] = value
      #expect(throws: PluginError.notShared) { try read(bytes) }
    }
  }

  @Test(arguments: MadeELF.Field.allCases, [UInt64.max, 1 << 63, UInt64.max - 4096, 1 << 32] as [UInt64])
  func hugeNumbersLeadNowhere(_ field: MadeELF.Field, _ value: UInt64) {
    for header in 0..<3 {
      // Nobody goes by the address of notes.
      if field == .address, header == 2 { continue }
      let made = MadeELF(overrides: [(header, field, value)])
      #expect(throws: PluginError.self, "header \(header)") { try read(made.bytes) }
    }
  }

  @Test(arguments: [UInt64.max, 1 << 63, 1 << 40, 100_000] as [UInt64]) func namesBeyondTheEndAreNone(_ value: UInt64) {
    #expect(throws: PluginError.self) { try read(MadeELF(dynamic: [(1, value)]).bytes) }
  }

  @Test func aNameWithoutAnEndIsNone() {
    // The names are moved to what comes last in the file, which ends without a zero.
    let made = MadeELF(needed: [], mark: "0.1.0\0swift-6.3.1-abcdef", dynamic: [(1, 0)])
    let bytes = made.bytes
    let last = MadeELF.address + UInt64(bytes.count - 3)
    // The first table of strings is replaced by the later one.
    var other = bytes
    let entry = 64 + 3 * 56 + 16
    withUnsafeBytes(of: last.littleEndian) { other.replaceSubrange(entry + 8..<entry + 16, with: Array($0)) }
    #expect(throws: PluginError.damaged("a name does not end")) { try read(other) }
  }

  /// The linker goes by the address of the dynamic section: what is read has to be what is there.
  @Test func aDynamicSectionHasOnePlace() {
    let elsewhere = MadeELF(overrides: [(1, .address, MadeELF.address)])
    #expect(throws: PluginError.damaged("its dynamic section has two places")) { try read(elsewhere.bytes) }
  }

  @Test func anythingMayBeInAFile() {
    let whole = MadeELF().bytes
    var generator = SeededGenerator(seed: 7)
    var refused = 0
    for _ in 0..<20_000 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
      }
      if (try? read(bytes)) == nil { refused += 1 }
    }
    #expect(refused > 1000)
  }

  @Test func marksHaveTwoParts() {
    func mark(_ content: String, name: String = "URLLoading", type: UInt32 = 1) -> BuildMark? {
      BuildMark(ELFNote(name: name, type: type, description: Array(content.utf8)))
    }
    #expect(mark("1\0a") == BuildMark(version: "1", compiler: "a"))
    #expect(mark("1") == nil && mark("\0a") == nil && mark("1\0") == nil && mark("") == nil)
    // Neither a log nor a terminal gets a file's control characters.
    #expect(mark("1\n\0a") == nil && mark("1\0\u{1B}[2J") == nil && mark("1\0a\0") == nil)
    #expect(mark("1\0a", name: "GNU") == nil && mark("1\0a", type: 2) == nil)
    #expect(mark("1\0" + String(repeating: "a", count: 1000)) == nil)
  }
}
