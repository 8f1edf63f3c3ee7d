/// An encrypted member. A wrong password can pass its check and look like damage.
final class ZipDecryptedBody: MemberBody {
  private let body: any MemberBody

  init(_ body: any MemberBody) { self.body = body }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    do {
      return try body.read(into: buffer)
    } catch ArchiveError.damaged(let what) {
      throw ArchiveError.damaged("\(what), or the password is wrong")
    }
  }
}
