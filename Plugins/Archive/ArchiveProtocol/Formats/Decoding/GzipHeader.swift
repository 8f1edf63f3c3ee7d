import Foundation

/// The name and date in the header of a gzip member (RFC 1952, 2.3).
struct GzipHeader: Sendable, Hashable {
  /// The bytes of a header that are read.
  static let prefixLength = 4096

  /// The name of the file: Latin 1 by the standard, any bytes in practice.
  var fileName: [UInt8]?
  var modificationDate: Date?

  /// - Parameter head: the first bytes of the file.
  init(head: [UInt8]) {
    guard head.count >= 10, head.starts(with: [0x1f, 0x8b, 8]) else { return }
    let flags = head[3]
    let seconds = head[4..<8].littleEndian
    if seconds != 0 { modificationDate = Date(timeIntervalSince1970: TimeInterval(seconds)) }
    var position = 10
    if flags & 4 != 0 {
      guard head.count >= 12 else { return }
      position += 2 + Int(head[10]) + Int(head[11]) << 8
    }
    guard flags & 8 != 0, position < head.count, let end = head[position...].firstIndex(of: 0), end > position else {
      return
    }
    fileName = Array(head[position..<end])
  }
}
