import CZlib
import Foundation
import URLLoading

/// The directory of an archive in a file of `indexDirectory`.
///
/// The file is a cache: one that is missing, damaged, of another version or of another archive is as none. It begins with a magic
/// number and ends with the CRC-32 of all before it.
struct IndexFile {
  private static let magic = Array("URLLoading index 1\n".utf8)
  /// Files that a directory of indexes has; the oldest go.
  private static let maximumFiles = 256

  private let directory: URL
  private let url: URL

  init(directory: URL, url: URL) {
    self.directory = directory
    self.url = url
  }

  private var file: URL {
    var hash = FNV1a()
    hash.add(url.absoluteString.utf8)
    return directory.appendingPathComponent(String(hash.value, radix: 16) + ".archive-index")
  }

  /// Reads the directory; nil where there is none to rely on.
  func load() -> KnownIndex? {
    guard let bytes = try? Data(contentsOf: file), bytes.count > Self.magic.count + 4 else { return nil }
    var reader = IndexDecoder(Array(bytes.dropLast(4)))
    guard Self.checksum(bytes.dropLast(4)) == bytes.suffix(4).reduce(0, { $0 << 8 | UInt32($1) }),
      reader.take(Self.magic.count).elementsEqual(Self.magic), reader.takeBytes().elementsEqual(url.absoluteString.utf8)
    else { return nil }
    return reader.takeIndex()
  }

  /// Writes the directory. What goes wrong is no error of the load.
  func save(_ known: KnownIndex) {
    var encoder = IndexEncoder(Self.magic)
    encoder.put(Array(url.absoluteString.utf8))
    encoder.put(known)
    var bytes = Data(encoder.bytes)
    let checksum = Self.checksum(bytes)
    for shift in [24, 16, 8, 0] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: checksum >> shift)) }
    try? FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    try? bytes.write(to: file, options: .atomic)
    prune()
  }

  private func prune() {
    guard
      let files = try? FileManager.default.contentsOfDirectory(
        at: directory, includingPropertiesForKeys: [.contentModificationDateKey]),
      files.count > Self.maximumFiles
    else { return }
    let dated = files.filter { $0.pathExtension == "archive-index" }.map { file in
      (
        file,
        (try? file.resourceValues(forKeys: [.contentModificationDateKey]))?.contentModificationDate ?? .distantPast
      )
    }
    for (file, _) in dated.sorted(by: { $0.1 < $1.1 }).dropLast(Self.maximumFiles) {
      try? FileManager.default.removeItem(at: file)
    }
  }

  private static func checksum(_ bytes: some DataProtocol) -> UInt32 {
    var value = crc32(0, nil, 0)
    for region in bytes.regions {
      region.withUnsafeBytes { region in
        value = crc32_z(value, region.bindMemory(to: UInt8.self).baseAddress, region.count)
      }
    }
    return UInt32(truncatingIfNeeded: value)
  }
}
