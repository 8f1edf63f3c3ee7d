import Foundation
import Testing
import URLLoadingTestServers

@testable import ArchiveProtocol

/// Many members, and large ones.
struct ZipSizeTests {
  @Test func readsMoreMembersThan16BitsCount() async throws {
    let place = try TemporaryDirectory("zip")
    let file = place.file("x.zip")
    let script = """
      import sys, zipfile
      z = zipfile.ZipFile(sys.argv[1], 'w')
      for i in range(70000): z.writestr('directory %d/member %d' % (i % 100, i), str(i))
      z.close()
      """
    try await Command.check(PackageFolder.python, ["-c", script, file.path])
    let source = try FileByteSource(file)
    let reader = ZipReader(source: source)
    let entries = try reader.readEntries()
    #expect(entries.count == 70_000)
    #expect(Set(entries.map(\.path)).count == 70_000)
    for index in stride(from: 0, to: 70_000, by: 7_777) {
      #expect(entries[index].name == "directory \(index % 100)/member \(index)")
      let before = source.bytesRead
      #expect(try reader.bytes(of: entries[index], source: source) == Array(String(index).utf8))
      #expect(source.bytesRead - before < 1_000)
    }
  }

  /// The file is sparse, and takes a few blocks only.
  @Test(.enabled(if: !Sanitizing.isOn)) func readsMembersAbove4GiB() async throws {
    let place = try TemporaryDirectory("zip")
    let file = place.file("x.zip")
    let script = """
      import io, sys, zipfile
      class Sparse(io.FileIO):
        def write(self, data):
          if len(data) > 65536: return self.seek(len(data), 1) and len(data)
          return super().write(data)
      f = Sparse(sys.argv[1], 'w+')
      z = zipfile.ZipFile(f, 'w', allowZip64=True)
      crc32 = zipfile.crc32
      zipfile.crc32 = lambda data, value=0: 0
      info = zipfile.ZipInfo('large')
      info.file_size = 5 << 30
      with z.open(info, 'w', force_zip64=True) as m:
        zeros = bytes(1 << 20)
        for _ in range(5 << 10): m.write(zeros)
        m.write(b'the end')
      zipfile.crc32 = crc32
      z.writestr('small', 'behind')
      z.close()
      """
    try await Command.check(PackageFolder.python, ["-c", script, file.path])
    let source = try FileByteSource(file)
    let reader = ZipReader(source: source)
    let entries = try reader.readEntries()
    #expect(entries.map(\.name) == ["large", "small"])
    let size: Int64 = 5 << 30
    #expect(entries[0].size == size + 7)
    let before = source.bytesRead
    #expect(try reader.bytes(of: entries[0], from: size - 1, source: source) == [0] + Array("the end".utf8))
    #expect(try reader.bytes(of: entries[1], source: source) == Array("behind".utf8))
    #expect(source.bytesRead - before < 1 << 20)
  }

  /// Packed, with sizes that zip64 has to carry into the archive that libarchive is given.
  @Test func virtualHeadersHaveRoomForLargeSizes() {
    let local = ZipLocalHeader(size: 31, flags: 0xFFFF, method: 8, dosTime: 1, dosDate: 2)
    var header = ZipVirtualHeader(local: local, checksum: 3, compressedSize: 4, size: 0xFFFF_FFFE)
    #expect(header.bytes().count == 31)
    header.size = 1 << 40
    let bytes = header.bytes()
    #expect(bytes.count == 51)
    bytes.withUnsafeBytes { bytes in
      #expect(bytes.uint32(at: 18) == .max)
      #expect(bytes.uint64(at: 35) == 1 << 40)
      #expect(bytes.uint64(at: 43) == 4)
      // Neither a data descriptor nor an encoding, nor the encryption that is undone.
      #expect(bytes.uint16(at: 6) == 6)
    }
  }
}
