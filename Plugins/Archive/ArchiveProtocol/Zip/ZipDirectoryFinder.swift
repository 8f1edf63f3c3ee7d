/// Finds the central directory of a zip from its end.
///
/// A comment may contain what looks like an end record, and bytes may stand before and after the archive, so every position with
/// the signature is a candidate. Candidates are tried from the last, as by other tools: first those whose comment ends with the
/// file, then the others, and last those without members.
struct ZipDirectoryFinder {
  /// Bytes at the end that can be needed: an end record with the longest comment, and the zip64 records before it.
  private static let tailSize =
    Int64(ZipEndRecord.size + ZipEndRecord.maximumCommentLength + ZipEndRecord.locatorSize + ZipEndRecord.zip64Size)
  /// Archives with more are malicious.
  private static let maximumCandidates = 64

  private let source: any ByteSource
  private let tail: [UInt8]
  private let tailPosition: Int64

  /// Reads the end of the source.
  init(_ source: any ByteSource) throws {
    let length = try source.findLength()
    guard length >= ZipEndRecord.size else {
      throw ArchiveError.damaged("\(length) bytes are no zip archive: its end record alone has \(ZipEndRecord.size)")
    }
    self.source = source
    tailPosition = max(length - Self.tailSize, 0)
    tail = try source.bytes(in: tailPosition..<length)
  }

  func find() throws -> ZipDirectory {
    let candidates = tail.withUnsafeBytes(Self.candidates)
    var firstError: ArchiveError?
    for candidate in candidates {
      do {
        return try directory(endRecordAt: candidate, isOnlyOne: candidates.count == 1)
      } catch let error as ArchiveError where error != .cancelled {
        firstError = firstError ?? error
      }
    }
    throw firstError
      ?? .damaged("there is no end record, which every zip archive has at its end: bytes are missing there")
  }

  /// The bytes of a range, of which those in the tail are not read again.
  func bytes(in range: Range<Int64>) throws -> [UInt8] {
    let position = min(max(range.lowerBound, tailPosition), range.upperBound)
    let known = tail.dropFirst(Int(max(position - tailPosition, 0))).prefix(Int(range.upperBound - position))
    guard range.lowerBound < position else { return Array(known) }
    var bytes = try source.bytes(in: range.lowerBound..<position, reserving: known.count)
    bytes.append(contentsOf: known)
    return bytes
  }

  /// Positions of end records in the tail, in the order of trial.
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

  private func directory(endRecordAt candidate: Int, isOnlyOne: Bool) throws -> ZipDirectory {
    var record = tail.withUnsafeBytes { ZipEndRecord(endRecord: $0, at: candidate) }
    // The directory ends where the end records begin.
    var end = tailPosition + Int64(candidate)
    if let (zip64, position) = try zip64Record(before: end) {
      guard record.agrees(with: zip64) else {
        throw ArchiveError.damaged("its end record and its zip64 end record contradict each other")
      }
      (record, end) = (zip64, position)
    }
    guard record.disk == record.directoryDisk, record.membersOnDisk == record.members,
      record.disk == 0 || (!record.isZip64 && record.disk == 0xFFFF)
    else { throw ArchiveError.splitZip }
    return try directory(of: record, endingAt: end, isOnlyOne: isOnlyOne)
  }

  // MARK: The zip64 record

  private func zip64Record(before end: Int64) throws -> (record: ZipEndRecord, position: Int64)? {
    let locatorPosition = end - Int64(ZipEndRecord.locatorSize)
    guard locatorPosition >= 0 else { return nil }
    let (signature, stated, disks) = try bytes(in: locatorPosition..<end).withUnsafeBytes {
      ($0.uint32(at: 0), $0.uint64(at: 8), $0.uint32(at: 16))
    }
    guard signature == ZipSignature.zip64Locator else { return nil }
    guard disks <= 1 else { throw ArchiveError.splitZip }
    // It is right before its locator, whatever was put in front of the archive.
    let usual = locatorPosition - Int64(ZipEndRecord.zip64Size)
    if usual >= 0, let record = try zip64Record(at: usual, endingAt: locatorPosition) { return (record, usual) }
    guard usual >= 0, stated <= UInt64(usual) else {
      throw ArchiveError.damaged("the position of its zip64 end record, \(stated), is outside of the archive")
    }
    guard let record = try zip64Record(at: Int64(stated), endingAt: locatorPosition) else {
      throw ArchiveError.damaged("there is no zip64 end record at \(stated), where its locator says")
    }
    return (record, Int64(stated))
  }

  private func zip64Record(at position: Int64, endingAt end: Int64) throws -> ZipEndRecord? {
    try bytes(in: position..<(position + Int64(ZipEndRecord.zip64Size))).withUnsafeBytes { bytes in
      // The size does not count itself (APPNOTE 4.3.14.1).
      guard bytes.uint32(at: 0) == ZipSignature.zip64EndRecord, bytes.uint64(at: 4) == UInt64(end - position - 12)
      else { return nil }
      return ZipEndRecord(zip64: bytes)
    }
  }

  // MARK: The directory

  private func directory(of record: ZipEndRecord, endingAt end: Int64, isOnlyOne: Bool) throws -> ZipDirectory {
    let (stated, overflow) = record.directoryOffset.addingReportingOverflow(record.directorySize)
    guard !overflow, stated <= UInt64(end) else {
      throw ArchiveError.damaged(
        """
        its directory, at \(record.directoryOffset) with \(record.directorySize) bytes, is not before its end record \
        at \(end)
        """)
    }
    let size = Int64(record.directorySize)
    let offset = Int64(record.directoryOffset)
    guard record.members <= record.directorySize / UInt64(ZipDirectoryParser.recordSize) else {
      throw ArchiveError.damaged("\(record.members) members do not fit into a directory of \(size) bytes")
    }
    var found = ZipDirectory(
      range: (end - size)..<end, members: record.members, hasWholeCount: record.isZip64, shift: end - size - offset)
    guard size > 0, found.shift != 0 || !isOnlyOne else { return found }
    // Bytes stand either in front of the archive, or between directory and end record.
    for start in found.shift == 0 ? [offset] : [end - size, offset] {
      let signature = try bytes(in: start..<(start + 4)).withUnsafeBytes { $0.uint32(at: 0) }
      if signature == ZipSignature.directoryRecord || signature == ZipSignature.extraData {
        found.range = start..<(start + size)
        found.shift = start - offset
        return found
      }
    }
    throw ArchiveError.damaged("there is no directory at \(end - size), where it would have to be by its end record")
  }
}
