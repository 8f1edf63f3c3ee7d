internal import URLLoadingCZlib

/// Decodes gzip (RFC 1952) with zlib, which checks the CRC and the length of every member, where libarchive 3.6 does not.
///
/// Members may follow one another, and zero bytes the last one, as on tapes. Anything else after it is damage: it may be a
/// truncated member.
final class GzipDecoder: ByteStream {
  private let origin: any FeedOrigin
  private let input = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
  private let output = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
  // On the heap, because zlib's state points back to it.
  private let zlib = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
  private var pending = UnsafeRawBufferPointer(start: nil, count: 0)
  private var fetchedCount: Int64 = 0
  private var phase = Phase.inMember

  private enum Phase {
    case inMember, betweenMembers, padding, atEnd
  }

  init(_ origin: any FeedOrigin) throws {
    self.origin = origin
    zlib.initialize(to: z_stream())
    // 15 bits of window; 16 allows gzip's header and trailer only.
    let status = inflateInit2_(zlib, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    guard status == Z_OK else { throw ArchiveError.unsupported("zlib does not start: \(status)") }
  }

  deinit {
    inflateEnd(zlib)
    zlib.deallocate()
    input.deallocate()
    output.deallocate()
  }

  var isBroken: Bool { origin.isBroken }

  func next() throws -> UnsafeRawBufferPointer {
    while phase != .atEnd {
      if pending.isEmpty {
        let count = try origin.fetch(into: input, at: fetchedCount)
        fetchedCount += Int64(count)
        pending = UnsafeRawBufferPointer(rebasing: input[..<count])
        if count == 0 {
          guard phase != .inMember else { throw ArchiveError.damaged("gzip: the compressed data ends too early") }
          phase = .atEnd
        }
      }
      switch phase {
      case .inMember:
        let count = try inflate()
        if count > 0 { return UnsafeRawBufferPointer(rebasing: output[..<count]) }
      case .betweenMembers:
        if pending.first == 0x1f {
          inflateReset(zlib)
          phase = .inMember
        } else {
          phase = .padding
        }
      case .padding:
        guard pending.allSatisfy({ $0 == 0 }) else {
          throw ArchiveError.damaged("gzip: something else follows the end of the compressed data")
        }
        pending = UnsafeRawBufferPointer(start: nil, count: 0)
      case .atEnd: break
      }
    }
    return UnsafeRawBufferPointer(start: nil, count: 0)
  }

  private func inflate() throws -> Int {
    // zlib takes a pointer to mutable bytes and does not change them.
    zlib.pointee.next_in = UnsafeMutableRawPointer(mutating: pending.baseAddress)?.assumingMemoryBound(to: Bytef.self)
    let offered = min(pending.count, 1 << 30)
    zlib.pointee.avail_in = uInt(offered)
    zlib.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: Bytef.self)
    zlib.pointee.avail_out = uInt(output.count)
    let status = URLLoadingCZlib.inflate(zlib, Z_NO_FLUSH)
    let used = offered - Int(zlib.pointee.avail_in)
    pending = UnsafeRawBufferPointer(rebasing: pending[used...])
    let count = output.count - Int(zlib.pointee.avail_out)
    switch status {
    case Z_STREAM_END: phase = .betweenMembers
    case Z_OK: break
    // Without progress, though input and room for output were there, it is damage.
    case Z_BUF_ERROR where used > 0 || count > 0: break
    default:
      let reason = zlib.pointee.msg.map { String(cString: $0) } ?? "zlib's error \(status)"
      throw ArchiveError.damaged("gzip: \(reason)")
    }
    return count
  }
}
