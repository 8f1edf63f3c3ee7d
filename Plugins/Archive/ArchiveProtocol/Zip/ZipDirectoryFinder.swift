/// Finds the central directory of a zip from its end. Does no I/O: it says which bytes it needs.
///
/// A comment may contain what looks like an end record, and bytes may stand before and behind the archive, so every position with
/// the signature is a candidate. Candidates are tried from the last, as by other tools: first those whose comment ends with the
/// file, then the others, and last those without members.
struct ZipDirectoryFinder {
  enum Step: Equatable {
    /// Give these bytes to ``take(_:at:)``.
    case read(Range<Int64>)
    case found(ZipDirectory)
  }

  /// Bytes at the end that can be needed: an end record with the longest comment, and the zip64 records before it.
  private static let tailSize =
    Int64(ZipEndRecord.size + ZipEndRecord.maximumCommentLength + ZipEndRecord.locatorSize + ZipEndRecord.zip64Size)
  /// Archives with more are malicious.
  private static let maximumCandidates = 64

  let length: Int64
  private(set) var tail: [UInt8] = []
  private let tailPosition: Int64
  /// Positions of end records in ``tail``, in the order of trial. Nil before there is a tail.
  private var candidates: [Int]?
  /// Other bytes that the current candidate needed.
  private var pieces: [(position: Int64, bytes: [UInt8])] = []
  private var firstError: ArchiveError?

  init(length: Int64) {
    self.length = length
    tailPosition = max(length - Self.tailSize, 0)
  }

  /// The bytes that ``Step/read(_:)`` asked for.
  mutating func take(_ bytes: [UInt8], at position: Int64) {
    if candidates == nil {
      tail = bytes
      candidates = bytes.withUnsafeBytes(Self.candidates)
    } else {
      pieces.append((position, bytes))
    }
  }

  mutating func next() throws(ArchiveError) -> Step {
    guard let candidates else {
      guard length >= ZipEndRecord.size else {
        throw .damaged("\(length) bytes are no zip archive: its end record alone has \(ZipEndRecord.size)")
      }
      return .read(tailPosition..<length)
    }
    for (index, candidate) in candidates.enumerated() {
      do throws(ArchiveError) {
        let step = try find(from: candidate, isOnlyOne: index == 0 && candidates.count == 1)
        if case .read = step { self.candidates = Array(candidates[index...]) }
        return step
      } catch {
        firstError = firstError ?? error
        pieces = []
      }
    }
    throw firstError
      ?? .damaged("there is no end record, which every zip archive has at its end: bytes are missing there")
  }

  /// The suffix of a range that is in the tail.
  func known(of range: Range<Int64>) -> ArraySlice<UInt8> {
    let position = min(max(range.lowerBound, tailPosition), range.upperBound)
    let start = Int(position - tailPosition)
    let end = Int(range.upperBound - tailPosition)
    return start >= 0 && start < end && end <= tail.count ? tail[start..<end] : []
  }

  // MARK: Candidates

  private static func candidates(in tail: UnsafeRawBufferPointer) -> [Int] {
    var ranked: [[Int]] = [[], [], [], []]
    var found = 0
    var position = tail.count - ZipEndRecord.size
    while position >= 0, found < maximumCandidates {
      if tail[position] == UInt8(ascii: "P"), tail.uint32(at: position) == ZipSignature.endRecord {
        let end = position + ZipEndRecord.size + Int(tail.uint16(at: position + 20))
        if end <= tail.count {
          let isEmpty = tail.uint16(at: position + 10) == 0
          ranked[(isEmpty ? 2 : 0) + (end == tail.count ? 0 : 1)].append(position)
          found += 1
        }
      }
      position -= 1
    }
    return ranked.flatMap { $0 }
  }

  private func find(from candidate: Int, isOnlyOne: Bool) throws(ArchiveError) -> Step {
    var record = tail.withUnsafeBytes { ZipEndRecord(endRecord: $0, at: candidate) }
    // The directory ends where the end records begin.
    var end = tailPosition + Int64(candidate)
    switch try zip64Record(before: end) {
    case .needs(let range): return .read(range)
    case .none: break
    case .record(let zip64, let position):
      guard record.agrees(with: zip64) else {
        throw .damaged("its end record and its zip64 end record contradict each other")
      }
      record = zip64
      end = position
    }
    guard record.disk == record.directoryDisk, record.membersOnDisk == record.members,
      record.disk == 0 || (!record.isZip64 && record.disk == 0xFFFF)
    else { throw .unsupported("a zip archive that is split over several files") }
    return try directory(of: record, endingAt: end, isOnlyOne: isOnlyOne)
  }

  // MARK: The zip64 record

  private enum Zip64Finding {
    case none
    case needs(Range<Int64>)
    case record(ZipEndRecord, position: Int64)
  }

  private func zip64Record(before end: Int64) throws(ArchiveError) -> Zip64Finding {
    let locatorPosition = end - Int64(ZipEndRecord.locatorSize)
    guard let locator = known(locatorPosition, ZipEndRecord.locatorSize),
      number(in: locator, at: 0) == ZipSignature.zip64Locator
    else { return .none }
    guard number(in: locator, at: 16) <= 1 else {
      throw .unsupported("a zip archive that is split over several files")
    }
    let size = ZipEndRecord.zip64Size
    // It is right before its locator, whatever was put in front of the archive.
    let usual = locatorPosition - Int64(size)
    if let bytes = known(usual, size), let record = record(bytes, endingAt: locatorPosition, from: usual) {
      return .record(record, position: usual)
    }
    let stated = locator.withUnsafeBytes { UnsafeRawBufferPointer($0).uint64(at: 8) }
    guard usual >= 0, stated <= UInt64(usual) else {
      throw .damaged("the position of its zip64 end record, \(stated), is outside of the archive")
    }
    let position = Int64(stated)
    guard let bytes = known(position, size) else { return .needs(position..<(position + Int64(size))) }
    guard let record = record(bytes, endingAt: locatorPosition, from: position) else {
      throw .damaged("there is no zip64 end record at \(stated), where its locator says")
    }
    return .record(record, position: position)
  }

  private func record(_ bytes: [UInt8], endingAt end: Int64, from position: Int64) -> ZipEndRecord? {
    bytes.withUnsafeBytes { bytes in
      // The size does not count itself (APPNOTE 4.3.14.1).
      guard bytes.uint32(at: 0) == ZipSignature.zip64EndRecord, end - position >= 12,
        bytes.uint64(at: 4) == UInt64(end - position - 12)
      else { return nil }
      return ZipEndRecord(zip64: bytes)
    }
  }

  // MARK: The directory

  private func directory(
    of record: ZipEndRecord, endingAt end: Int64, isOnlyOne: Bool
  ) throws(ArchiveError) -> Step {
    let (stated, overflow) = record.directoryOffset.addingReportingOverflow(record.directorySize)
    guard !overflow, stated <= UInt64(end) else {
      throw .damaged(
        """
        its directory, at \(record.directoryOffset) with \(record.directorySize) bytes, is not before its end record \
        at \(end)
        """)
    }
    let size = Int64(record.directorySize)
    let offset = Int64(record.directoryOffset)
    guard record.members <= record.directorySize / UInt64(ZipDirectoryParser.recordSize) else {
      throw .damaged("\(record.members) members do not fit into a directory of \(size) bytes")
    }
    var found = ZipDirectory(
      range: (end - size)..<end, members: record.members, hasWholeCount: record.isZip64, shift: end - size - offset)
    guard size > 0, found.shift != 0 || !isOnlyOne else { return .found(found) }
    // Bytes stand either in front of the archive, or between directory and end record.
    for start in found.shift == 0 ? [offset] : [end - size, offset] {
      guard let bytes = known(start, 4) else { return .read(start..<(start + 4)) }
      let signature = number(in: bytes, at: 0)
      if signature == ZipSignature.directoryRecord || signature == ZipSignature.extraData {
        found.range = start..<(start + size)
        found.shift = start - offset
        return .found(found)
      }
    }
    throw .damaged("there is no directory at \(end - size), where it would have to be by its end record")
  }

  // MARK: Bytes

  /// Bytes that were read before; nil where they were not.
  private func known(_ position: Int64, _ count: Int) -> [UInt8]? {
    guard position >= 0 else { return nil }
    let range = position..<(position + Int64(count))
    if position >= tailPosition, range.upperBound <= tailPosition + Int64(tail.count) { return Array(known(of: range)) }
    for piece in pieces where piece.position <= position {
      let start = Int(position - piece.position)
      if start + count <= piece.bytes.count { return Array(piece.bytes[start..<(start + count)]) }
    }
    return nil
  }

  private func number(in bytes: [UInt8], at position: Int) -> UInt32 {
    bytes.withUnsafeBytes { UnsafeRawBufferPointer($0).uint32(at: position) }
  }
}
