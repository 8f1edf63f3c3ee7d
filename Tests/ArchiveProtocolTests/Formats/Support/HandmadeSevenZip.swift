import Foundation
import URLLoadingTestServers

@testable import ArchiveProtocol

/// 7z archives with a header of the test's own (7zFormat.txt of the LZMA SDK).
enum HandmadeSevenZip {
  /// How a header is packed.
  enum Packing: String, CaseIterable {
    case plain, copy, lzma, lzma2, bzip2
  }

  /// - Parameters:
  ///   - body: what stands before the header.
  ///   - size: that the header is said to have unpacked; nil for the right one.
  static func archive(
    _ header: [UInt8], _ packing: Packing, body: [UInt8] = [], size: Int? = nil
  ) async throws -> Data {
    guard packing != .plain else { return Data(file(body, header)) }
    let (method, properties, packed) = try await pack(header, packing)
    let coder = [UInt8(method.count) | (properties.isEmpty ? 0 : 0x20)] + method
    let described = properties.isEmpty ? coder : coder + number(properties.count) + properties
    let streams =
      [0x17, 0x06] + number(body.count) + number(1) + [0x09] + number(packed.count) + [0x00]
      + [0x07, 0x0b] + number(1) + [0x00, 0x01] + described + [0x0c] + number(size ?? header.count) + [0x00, 0x00]
    return Data(file(body + packed, streams))
  }

  /// The header of an archive that packs it in no way, and what stands before it.
  static func parts(of archive: Data) -> (body: [UInt8], header: [UInt8]) {
    let bytes = Array(archive)
    let start = 32 + Int(bytes[12..<20].littleEndian)
    return (Array(bytes[32..<start]), Array(bytes[start...]))
  }

  /// A number in nine bytes.
  static func number(_ value: Int) -> [UInt8] { [0xff] + littleEndian(UInt64(value)) }

  private static func pack(
    _ header: [UInt8], _ packing: Packing
  ) async throws -> (method: [UInt8], properties: [UInt8], packed: [UInt8]) {
    let data = Data(header)
    switch packing {
    case .plain, .copy: return ([0x00], [], header)
    case .lzma:
      let file = try await Tool.filter("xz", ["--format=lzma", "-c"], data)
      return ([0x03, 0x01, 0x01], Array(file.prefix(5)), Array(file.dropFirst(13)))
    // A dictionary of 1 MiB.
    case .lzma2:
      return ([0x21], [16], Array(try await Tool.filter("xz", ["--format=raw", "--lzma2=dict=1MiB", "-c"], data)))
    case .bzip2: return ([0x04, 0x02, 0x02], [], Array(try await Tool.filter("bzip2", data: data)))
    }
  }

  private static func file(_ body: [UInt8], _ header: [UInt8]) -> [UInt8] {
    let place = littleEndian(UInt64(body.count)) + littleEndian(UInt64(header.count)) + checksum(header)
    return [0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c, 0, 4] + checksum(place) + place + body + header
  }

  private static func checksum(_ bytes: [UInt8]) -> [UInt8] {
    var checksum = RunningChecksum()
    bytes.withUnsafeBytes { checksum.add($0) }
    return littleEndian(checksum.value)
  }

  private static func littleEndian(_ number: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: number.littleEndian, Array.init)
  }
}
