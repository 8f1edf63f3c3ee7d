import Foundation
internal import URLLoadingBase

/// A regular file, opened once: what is checked of it is what is read.
final class OpenFile {
  /// What is the same for all paths of a file.
  struct Identity: Hashable {
    let device: UInt64
    let inode: UInt64

    init(_ status: stat) { (device, inode) = (UInt64(status.st_dev), UInt64(status.st_ino)) }
  }

  /// As it was given: may be that of a link.
  let givenPath: String
  /// With all links resolved.
  let path: String
  /// Closed with this object.
  let descriptor: Int32
  let status: stat

  /// In bytes.
  var size: Int64 { max(0, Int64(status.st_size)) }

  var identity: Identity { Identity(status) }

  init(path given: String, sizeLimit: Int64) throws(PluginError) {
    givenPath = given
    path = try OpenFile.resolved(given)
    // The last part was no link a moment ago; a pipe must not be waited for, and no terminal becomes that of the service.
    descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
    let error = errno
    var status = stat()
    let isThere = descriptor >= 0 && fstat(descriptor, &status) == 0
    self.status = status
    guard isThere else { throw .unreadable(number: descriptor < 0 ? error : errno) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .notRegular }
    guard size <= sizeLimit else { throw .tooLarge(limit: sizeLimit) }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// A path with all links resolved.
  static func resolved(_ path: String) throws(PluginError) -> String {
    guard let resolved = realpath(path, nil) else { throw .unreadable(number: errno) }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// Reads so many bytes; fewer where the file ends, or cannot be read.
  func read(at offset: UInt64, count: Int) -> [UInt8] {
    guard let start = Int64(exactly: offset), count > 0 else { return [] }
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      let bytes = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[..<count])
      filled = max(0, DescriptorIO.read(into: bytes, from: descriptor, at: start))
    }
  }

  /// As an ELF file.
  var elf: ELFFile { ELFFile(size: UInt64(size)) { self.read(at: $0, count: $1) } }
}
