import Foundation
import URLLoading

/// The requested bytes of a member, piece by piece: from the member itself, or from its spool.
struct MemberPieces {
  /// Bytes. Smaller members are decoded again for every part.
  private static let smallestSpooled: Int64 = 1 << 20

  private let next: (UnsafeMutableRawBufferPointer) throws -> Int

  /// - Parameters:
  ///   - isPart: the range is part of the member, so that more parts may be requested.
  ///   - askPassword: gets the number of wrong passwords; returns the next, or nil.
  init(
    _ entry: ArchiveEntry, _ range: Range<Int64>, isPart: Bool, of archive: OpenArchive, _ source: ResourceSource,
    _ buffer: UnsafeMutableRawBufferPointer, askPassword: (Int) throws -> [UInt8]?
  ) throws {
    if isPart, Self.isDecodedFromItsStart(entry), (entry.size ?? 0) > Self.smallestSpooled {
      let spool = try Self.withPassword(archive, askPassword) { _ in
        let spool = try archive.spool(entry)
        // The first byte shows a wrong password.
        _ = try spool.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<1]), at: 0, source: source)
        return spool
      }
      next = Self.pieces(of: spool, range, source)
    } else {
      let (body, count) = try Self.withPassword(archive, askPassword) { password in
        let body = try archive.reader.open(entry, from: range.lowerBound, source: source, password: password)
        return (body, try body.read(into: buffer))
      }
      next = Self.pieces(of: body, first: count, range, readsToEnd: entry.size == nil || range.upperBound == entry.size)
    }
  }

  /// Some bytes; 0 at the end. The first call needs the initialiser's buffer, which has the first piece.
  func next(into buffer: UnsafeMutableRawBufferPointer) throws -> Int { try next(buffer) }

  private static func isDecodedFromItsStart(_ entry: ArchiveEntry) -> Bool {
    if case .zip(_, _, let method, _) = entry.location {
      method != ZipMethod.stored || entry.isEncrypted
    } else {
      false
    }
  }

  private static func pieces(
    of spool: DecodedSpool, _ range: Range<Int64>, _ source: ResourceSource
  ) -> (UnsafeMutableRawBufferPointer) throws -> Int {
    var position = range.lowerBound
    return { buffer in
      let wanted = Int(min(Int64(buffer.count), range.upperBound - position))
      guard wanted > 0 else { return 0 }
      let count = try spool.read(
        into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]), at: position, source: source)
      position += Int64(count)
      return count
    }
  }

  private static func pieces(
    of body: any MemberBody, first: Int, _ range: Range<Int64>, readsToEnd: Bool
  ) -> (UnsafeMutableRawBufferPointer) throws -> Int {
    var pending: Int? = first
    var left = Int64(range.count)
    return { buffer in
      // The member is verified at its end.
      guard left > 0 || readsToEnd else { return 0 }
      let count = try pending ?? body.read(into: buffer)
      pending = nil
      if readsToEnd, Int64(count) > left { throw ArchiveError.damaged("it has more bytes than its archive says") }
      let taken = Int(min(Int64(count), left))
      left -= Int64(taken)
      return taken
    }
  }

  /// Opens with the stored password, then with those that are given.
  private static func withPassword<Opened>(
    _ archive: OpenArchive, _ askPassword: (Int) throws -> [UInt8]?, _ open: ([UInt8]?) throws -> Opened
  ) throws -> Opened {
    var failures = 0
    var asked = false
    while true {
      do {
        return try open(archive.password)
      } catch let error as ArchiveError where error == .passwordRequired || error == .wrongPassword {
        // A stored password of another member does not count.
        if error == .wrongPassword, asked { failures += 1 }
        archive.password = nil
        guard let password = try askPassword(failures) else { throw error }
        asked = true
        archive.password = password
      }
    }
  }
}
