import Foundation

/// What libFuzzer calls with every input: reads it as a zip, and all that it says is in it. Whatever the input is, the outcome is
/// members that are whole, or errors.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let source = InputSource(Array(UnsafeBufferPointer(start: bytes, count: count)))
  var limits = ArchiveConfiguration()
  limits.maximumMemberSize = 1 << 20
  limits.maximumMembers = 1000
  let reader = ZipReader(source: source, limits: limits)
  guard let entries = try? reader.readEntries() else { return 0 }
  let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 16 << 10, alignment: 16)
  defer { buffer.deallocate() }
  for entry in entries.prefix(8) {
    _ = try? reader.readLinkTarget(of: entry, source: source, password: nil)
    guard let body = try? reader.open(entry, from: 0, source: source, password: Array("secret".utf8)) else { continue }
    var read: Int64 = 0
    do {
      while case let count = try body.read(into: buffer), count > 0 { read += Int64(count) }
      precondition(entry.size == nil || entry.size == read, "a member that is not whole was passed off as whole")
    } catch {}
  }
  return 0
}

/// The input as a source.
final class InputSource: ByteSource {
  let cancellation = Cancellation()
  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var length: Int64? { Int64(bytes.count) }

  func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int64) throws -> Int {
    guard position >= 0, position < bytes.count else { return 0 }
    let rest = bytes[Int(position)...].prefix(buffer.count)
    buffer.copyBytes(from: rest)
    return rest.count
  }
}
