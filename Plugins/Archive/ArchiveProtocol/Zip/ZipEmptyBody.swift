/// No bytes.
final class ZipEmptyBody: MemberBody {
  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int { 0 }
}
