import Foundation
import Testing

@testable import ArchiveProtocol

struct ArchiveEntryTests {
  @Test func survivesTheDiskIndex() throws {
    let entry = ArchiveEntry(
      path: Array("a/b".utf8), kind: .symbolicLink(target: [0xff]), size: 3,
      modificationDate: Date(timeIntervalSince1970: 7),
      checksum: 9, isEncrypted: true, location: .zip(localHeader: 1, compressedSize: 2, method: 8, flags: 1))
    let data = try PropertyListEncoder().encode(entry)
    #expect(try PropertyListDecoder().decode(ArchiveEntry.self, from: data) == entry)
  }
}
