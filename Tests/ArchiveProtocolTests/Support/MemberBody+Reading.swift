@testable import ArchiveProtocol

extension MemberBody {
  /// Reads to the end, in pieces of a size.
  func readAll(by size: Int = 65_536) throws -> [UInt8] {
    var all: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: size)
    while true {
      let count = try buffer.withUnsafeMutableBytes { try read(into: $0) }
      if count == 0 { return all }
      all.append(contentsOf: buffer[..<count])
    }
  }
}

extension ArchiveReader {
  /// The bytes of a member, from an offset on.
  func bytes(
    of entry: ArchiveEntry, from offset: Int64 = 0, source: any ByteSource, password: String? = nil,
    by size: Int = 65_536
  ) throws -> [UInt8] {
    try open(entry, from: offset, source: source, password: password.map { Array($0.utf8) }).readAll(by: size)
  }
}

extension ArchiveEntry {
  var name: String { String(decoding: path, as: UTF8.self) }
}
