import URLLoadingCZlib

/// Decodes gzip (RFC 1952) with zlib, which checks the CRC and the length of every member, where libarchive 3.6 does not.
///
/// Members may follow one another, and zero bytes the last one, as tapes have them. Anything else behind it is damage: it
/// may be what is left of a member.
final class GzipDecoder: ByteStream {
  private let input: any ByteStream
  private let output = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
  // At one address, because zlib's state points back to it.
  private let zlib = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
  private var pending = UnsafeRawBufferPointer(start: nil, count: 0)
  private var phase = Phase.inMember

  private enum Phase {
    case inMember, betweenMembers, padding, atEnd
  }

  init(_ input: any ByteStream) throws {
    self.input = input
    zlib.initialize(to: z_stream())
    // 15 bits of window, and 16 for gzip's own header and trailer and no other.
    let status = inflateInit2_(zlib, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    guard status == Z_OK else { throw ArchiveError.unsupported("zlib does not start: \(status)") }
  }

  deinit {
    inflateEnd(zlib)
    zlib.deallocate()
    output.deallocate()
  }

  var isBroken: Bool { input.isBroken }

  func next() throws -> UnsafeRawBufferPointer {
    while phase != .atEnd {
      if pending.isEmpty {
        pending = try input.next()
        if pending.isEmpty { try end() }
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

  private func end() throws {
    guard phase == .inMember else {
      phase = .atEnd
      return
    }
    throw ArchiveError.damaged("gzip: the compressed data ends too early")
  }

  private func inflate() throws -> Int {
    guard phase == .inMember, !pending.isEmpty else { return 0 }
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
    // All output space was free and input was there: nothing could be made of it.
    case Z_BUF_ERROR where used > 0 || count > 0: break
    default:
      let reason = zlib.pointee.msg.map { String(cString: $0) } ?? "zlib's error \(status)"
      throw ArchiveError.damaged("gzip: \(reason)")
    }
    return count
  }
}
