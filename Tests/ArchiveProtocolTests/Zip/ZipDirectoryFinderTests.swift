import Foundation
import Testing

@testable import ArchiveProtocol

struct ZipDirectoryFinderTests {
  static let two = ZipSample([.init("a"), .init("b")])

  @Test func findsMembers() throws {
    let entries = try ZipSample.entries(Self.two.bytes())
    #expect(entries.map(\.name) == ["a", "b"])
    #expect(entries[1].location == .zip(localHeader: 38, compressedSize: 7, method: 0, flags: 0))
  }

  @Test func findsNone() throws {
    #expect(try ZipSample.entries(ZipSample().bytes()).isEmpty)
    var prepended = ZipSample()
    prepended.prefix = Array("#!/bin/sh\n".utf8)
    #expect(try ZipSample.entries(prepended.bytes()).isEmpty)
  }

  @Test func skipsAComment() throws {
    for length in [1, 21, 22, 300, 65_535] {
      var sample = Self.two
      sample.comment = [UInt8](repeating: UInt8(ascii: "P"), count: length)
      #expect(try ZipSample.entries(sample.bytes()).count == 2)
    }
  }

  @Test func skipsFalseSignaturesInAComment() throws {
    let end = ZipSample.endRecord
    for comment in [
      Array("PK\u{5}\u{6}".utf8), Array("PK\u{5}\u{6}PK\u{5}\u{6}PK\u{6}\u{7}".utf8),
      // Each of these is a whole end record, up to the end of the file.
      end(0, 0, 0, 0, []), end(1, 46, 0, 0, []), end(1, 46, 10, 0, []), end(2, 94, 5, 0, [1, 2]), end(0, 7, 0, 0, []),
      end(1, 46, 0, 0, end(1, 46, 0, 0, end(0, 0, 0, 0, []))),
      Array(repeating: end(0, 0, 0, 0, []), count: 40).flatMap { $0 },
    ] {
      var sample = Self.two
      sample.comment = comment
      #expect(try ZipSample.entries(sample.bytes()).map(\.name) == ["a", "b"], "\(comment)")
    }
  }

  @Test func findsBehindOtherBytes() throws {
    for count in [1, 4, 1_000, 200_000] {
      var sample = Self.two
      sample.prefix = [UInt8](repeating: 0x50, count: count)
      let entries = try ZipSample.entries(sample.bytes())
      #expect(entries[0].location == .zip(localHeader: Int64(count), compressedSize: 7, method: 0, flags: 0))
      let source = MemoryByteSource(sample.bytes())
      let reader = ZipReader(source: source)
      #expect(try reader.bytes(of: entries[1], source: source) == Array("content".utf8))
    }
    // One archive after the other: the last counts.
    var sample = ZipSample([.init("second")])
    sample.prefix = Self.two.bytes()
    #expect(try ZipSample.entries(sample.bytes()).map(\.name) == ["second"])
  }

  @Test func findsBeforeOtherBytes() throws {
    var sample = Self.two
    sample.suffix = [UInt8](repeating: 0, count: 1_000)
    #expect(try ZipSample.entries(sample.bytes()).count == 2)
  }

  @Test func skipsASignatureOfTheDirectory() throws {
    var sample = Self.two
    sample.behindRecords = [0x50, 0x4b, 5, 5, 3, 0, 1, 2, 3]
    #expect(try ZipSample.entries(sample.bytes()).count == 2)
    // One that is not counted as a part of the directory.
    sample.directorySize = 2 * 47
    #expect(try ZipSample.entries(sample.bytes()).count == 2)
  }

  @Test func readsZip64() throws {
    for prefix in [0, 77] {
      #expect(try ZipSample.entries(Self.zip64(prefix: prefix)).map(\.name) == ["a", "b"])
    }
    // With what a later version may add to the record.
    #expect(try ZipSample.entries(Self.zip64(prefix: 0, extensible: [1, 2, 3])).count == 2)
    #expect(
      ZipSample.failure(
        Self.zip64(prefix: 0) {
          $0[24] = 1
          $0[32] = 1
        }
      ).isDamaged("tells of 1 members"))
    #expect(ZipSample.failure(Self.zip64(prefix: 0, members: 3)).isDamaged("contradict"))
    #expect(ZipSample.failure(Self.zip64(prefix: 0) { $0[0] = 0 }).isDamaged("no zip64 end record"))
    #expect(ZipSample.failure(Self.zip64(prefix: 0, extensible: [1], position: .max)).isDamaged("outside"))
    let huge = repeatElement(255 as UInt8, count: 8)
    #expect(
      ZipSample.failure(Self.zip64(prefix: 0) { $0.replaceSubrange(48..<56, with: huge) }).isDamaged("not before"))
    #expect(
      ZipSample.failure(
        Self.zip64(prefix: 0) {
          $0.replaceSubrange(24..<32, with: huge)
          $0.replaceSubrange(32..<40, with: huge)
        }
      ).isDamaged("do not fit"))
    #expect(ZipSample.failure(Self.zip64(prefix: 0) { $0[16] = 1 }).isUnsupported("split"))
  }

  /// Two members after a zip64 end record.
  static func zip64(
    prefix: Int, extensible: [UInt8] = [], members: UInt16 = 0xFFFF, position: UInt64? = nil,
    change: (inout [UInt8]) -> Void = { _ in }
  ) -> [UInt8] {
    let plain = two.bytes().dropLast(22)
    var record: [UInt8] = []
    record.append(littleEndian: ZipSignature.zip64EndRecord)
    record.append(littleEndian: UInt64(44 + extensible.count))
    record.append(littleEndian: UInt32(0))
    record.append(littleEndian: UInt64(0))
    record.append(littleEndian: UInt64(2))
    record.append(littleEndian: UInt64(2))
    record.append(littleEndian: UInt64(94))
    record.append(littleEndian: UInt64(plain.count - 94))
    change(&record)
    record += extensible
    record.append(littleEndian: ZipSignature.zip64Locator)
    record.append(littleEndian: UInt32(0))
    record.append(littleEndian: position ?? UInt64(plain.count))
    record.append(littleEndian: UInt32(1))
    return [UInt8](repeating: 9, count: prefix) + plain + record
      + ZipSample.endRecord(members: members, size: 94, offset: .max)
  }

  @Test func needsNoMoreThanTwoReads() throws {
    let members = (0..<5_000).map { ZipSample.Member("directory/member \($0)") }
    let bytes = ZipSample(members).bytes()
    let source = MemoryByteSource(bytes)
    #expect(try ZipReader(source: source).readEntries().count == 5_000)
    #expect(source.reads.count == 2)
    // No byte comes twice.
    #expect(source.reads[0].lowerBound == source.reads[1].upperBound)
    let small = MemoryByteSource(Self.two.bytes())
    _ = try ZipReader(source: small).readEntries()
    #expect(small.reads.count == 1)
  }

  @Test func readsASourceOfUnknownLength() throws {
    let source = MemoryByteSource(Self.two.bytes(), tellsLength: false)
    let reader = ZipReader(source: source)
    let entries = try reader.readEntries()
    #expect(try reader.bytes(of: entries[1], source: source) == Array("content".utf8))
  }

  @Test func tellsLies() {
    func failure(_ change: (inout ZipSample) -> Void) -> ArchiveError? {
      var sample = Self.two
      change(&sample)
      return ZipSample.failure(sample.bytes())
    }
    #expect(failure { $0.count = 1 }.isDamaged("tells of 1 members, its directory has 2"))
    #expect(failure { $0.count = 3 }.isDamaged("do not fit"))
    #expect(failure { $0.directorySize = 1_000 }.isDamaged("not before its end record"))
    #expect(failure { $0.directorySize = .max }.isDamaged("not before its end record"))
    #expect(failure { $0.directoryOffset = .max }.isDamaged("not before its end record"))
    #expect(failure { $0.directorySize = 93 }.isDamaged("beyond the directory's end"))
    #expect(failure { $0.directorySize = 47 }.isDamaged("do not fit"))
    #expect(failure { $0.directoryOffset = 3 }.isDamaged("into its directory"))
    #expect(failure { $0.behindRecords = [0] }.isDamaged("is none"))
    #expect(failure { $0.behindRecords = Array(repeating: 0, count: 46) }.isDamaged("is none"))
    #expect(failure { $0.disk = 1 }.isUnsupported("split"))
  }

  @Test func tellsMissingEnds() {
    let bytes = Self.two.bytes()
    for count in 0..<bytes.count {
      guard case .damaged = ZipSample.failure(Array(bytes[..<count])) else {
        Issue.record("\(count) bytes of \(bytes.count) are taken for an archive")
        continue
      }
    }
  }

  /// Whatever the bytes are, few of them are asked for, and it ends.
  @Test func endsOnNothingButSignatures() {
    let signature: [UInt8] = [0x50, 0x4b, 5, 6]
    var bytes: [UInt8] = []
    for index in 0..<30_000 {
      bytes += signature
      if index % 3 == 0 { bytes += [0, 0, 0, 0, 1, 0, 1, 0, 46, 0, 0, 0] as [UInt8] }
    }
    let source = MemoryByteSource(bytes)
    #expect(throws: ArchiveError.self) { try ZipReader(source: source).readEntries() }
    #expect(source.reads.count < 200)
  }
}
