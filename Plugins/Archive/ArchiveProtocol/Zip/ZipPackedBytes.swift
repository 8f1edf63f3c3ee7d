/// The packed bytes of a member, in order; with zip's traditional encryption, decrypted.
///
/// Used by one thread at a time.
final class ZipPackedBytes {
  private let source: any ByteSource
  private var position: Int64
  private var end: Int64
  /// Bytes from `position` on that came with the header.
  private var known: ArraySlice<UInt8>
  private var decryption: ZipTraditionalDecryption?

  /// - Parameters:
  ///   - known: the first of the bytes, which may be none.
  init(source: any ByteSource, range: Range<Int64>, known: ArraySlice<UInt8>) {
    self.source = source
    position = range.lowerBound
    end = range.upperBound
    self.known = known.prefix(Int(clamping: range.upperBound - range.lowerBound))
  }

  var remaining: Int64 { end - position }

  /// Decrypts from here on. The first twelve bytes are the encryption's header.
  func decrypt(with password: [UInt8], check: UInt8) throws {
    guard remaining >= Int64(ZipTraditionalDecryption.headerSize) else {
      throw ArchiveError.damaged("it is encrypted, but too short for that")
    }
    var header = [UInt8](repeating: 0, count: ZipTraditionalDecryption.headerSize)
    try header.withUnsafeMutableBytes { try readExactly($0) }
    var decryption = ZipTraditionalDecryption(password: password)
    guard decryption.accepts(header, check: check) else { throw ArchiveError.wrongPassword }
    self.decryption = decryption
  }

  func skip(_ count: Int64) {
    let count = min(max(count, 0), remaining)
    position += count
    known = known.dropFirst(Int(clamping: count))
  }

  /// - Returns: the bytes read; fewer than `buffer.count` at the end only.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    let count = Int(min(Int64(buffer.count), remaining))
    guard count > 0 else { return 0 }
    let target = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
    try readExactly(target)
    decryption?.decrypt(target)
    return count
  }

  private func readExactly(_ target: UnsafeMutableRawBufferPointer) throws {
    let count = min(known.count, target.count)
    target.copyBytes(from: known.prefix(count))
    known = known.dropFirst(count)
    position += Int64(count)
    guard count < target.count else { return }
    let rest = UnsafeMutableRawBufferPointer(rebasing: target[count...])
    let read = try source.read(into: rest, at: position)
    guard read == rest.count else {
      throw ArchiveError.damaged("the archive ends at \(position + Int64(read)), inside of this member")
    }
    position += Int64(rest.count)
  }
}
