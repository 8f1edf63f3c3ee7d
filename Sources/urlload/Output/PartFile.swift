import Foundation
import URLLoading

/// A file with a part of a resource, `NAME.part`. Behind the bytes it says what they are a part of, so that nobody takes it for whole, and
/// a later load can ask whether the resource is still the same.
struct PartFile: Equatable, Sendable {
  /// What the bytes are a part of.
  struct Record: Codable, Equatable, Sendable {
    /// Where they came from, without what may be secret: user, password, query and fragment.
    var url: String
    /// The position of the first byte in the resource.
    var start: Int64 = 0
    /// That of the last byte that is wanted; nil for all.
    var last: Int64?
    /// The length of the whole.
    var length: Int64?
    /// What tells versions apart; neither, where there was nothing that does.
    var entityTag: String?
    /// In seconds since 1970.
    var lastModified: Double?

    init(_ url: URL, _ resumption: Resumption?) {
      self.url = Self.name(of: url)
      guard let resumption else { return }
      start = resumption.start
      last = resumption.last
      length = resumption.completeLength
      entityTag = resumption.validators.entityTag
      lastModified = resumption.validators.lastModified?.timeIntervalSince1970
    }

    /// Where the load can be resumed; nil without a validator.
    var resumption: Resumption? {
      let validators = ResourceValidators(
        entityTag: entityTag, lastModified: lastModified.map { Date(timeIntervalSince1970: $0) })
      guard validators.isStrong else { return nil }
      return Resumption(start: start, last: last, completeLength: length, validators: validators)
    }

    /// Whether the bytes came from this URL.
    func isOf(_ url: URL) -> Bool { self.url == Self.name(of: url) }

    private static func name(of url: URL) -> String {
      guard var components = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return "" }
      components.user = nil
      components.password = nil
      components.query = nil
      components.fragment = nil
      return components.string ?? ""
    }
  }

  static let suffix = ".part"
  /// The end of each part file.
  private static let mark = Array("urlload1".utf8)
  /// Bytes; more is no record of ours.
  private static let longestRecord = 1 << 16

  let path: String
  let record: Record
  /// Bytes of the resource.
  let count: Int64

  /// Nil for a file that is none of ours.
  init?(path: String) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return nil }
    defer { Glibc.close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    let size = Int64(status.st_size)
    let tail = Self.read(descriptor, at: size - 16, count: 16)
    guard tail.count == 16, Array(tail.suffix(8)) == Self.mark else { return nil }
    let length = tail.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    guard length <= UInt64(Self.longestRecord), Int64(length) + 16 <= size else { return nil }
    count = size - 16 - Int64(length)
    let text = Self.read(descriptor, at: count, count: Int(length))
    guard let record = try? JSONDecoder().decode(Record.self, from: Data(text)) else { return nil }
    self.record = record
    self.path = path
  }

  private static func read(_ descriptor: Int32, at position: Int64, count: Int) -> [UInt8] {
    guard position >= 0 else { return [] }
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      while initialized < count {
        let new = pread(
          descriptor, buffer.baseAddress?.advanced(by: initialized), count - initialized,
          off_t(position + Int64(initialized)))
        if new < 0, errno == EINTR { continue }
        guard new > 0 else { return }
        initialized += new
      }
    }
  }

  /// Writes a record at the end of a file.
  static func close(_ descriptor: Int32, with record: Record) throws(Failure) {
    guard let text = try? JSONEncoder().encode(record) else { throw Failure(writing: "a part file", EIO) }
    var end = text
    for shift in stride(from: 56, through: 0, by: -8) { end.append(UInt8(truncatingIfNeeded: text.count >> shift)) }
    end.append(contentsOf: mark)
    lseek(descriptor, 0, SEEK_END)
    try DescriptorWriter.write(end, to: descriptor, "a part file")
  }

  /// The part of a URL in a directory, whatever its name is.
  static func find(_ url: URL, in directory: String) -> PartFile? {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    for name in names.sorted() where name.hasSuffix(suffix) {
      if let part = PartFile(path: directory == "." ? name : "\(directory)/\(name)"), part.record.isOf(url) {
        return part
      }
    }
    return nil
  }

  /// The path of the part of a file.
  static func path(of name: String, in directory: String) -> String {
    // Room for the suffix in the 255 bytes that file systems allow.
    var stem = name
    while stem.utf8.count > 250 { stem.removeLast() }
    return (directory == "." ? "" : directory == "/" ? "/" : "\(directory)/") + stem + suffix
  }
}
