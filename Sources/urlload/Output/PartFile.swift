import Foundation
import URLLoading
internal import URLLoadingBase

/// A file with a part of a resource, `NAME.part`. Behind the bytes it says what they are a part of, so that nobody takes it for whole, and
/// a later load can ask whether the resource is still the same.
struct PartFile: Equatable, Sendable {
  /// What the bytes are a part of.
  struct Record: Codable, Equatable, Sendable {
    /// Where they came from, without what may be secret: user, password, query and fragment.
    var url: String
    /// Tells queries apart, which are not kept themselves; nil without one.
    var queryHash: String?
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
    /// How many bytes of the resource the file has; nil for all that are before the record.
    var count: Int64?

    init(_ url: URL, _ resumption: Resumption?) {
      (self.url, queryHash) = Self.origin(url)
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

    /// Whether there can be such a part of so many bytes: what stands in a file need not be ours.
    func canBe(with count: Int64) -> Bool {
      guard start >= 0, !start.addingReportingOverflow(count).overflow else { return false }
      return (last.map { start <= $0 && $0 < .max } ?? true) && length ?? 0 >= 0
    }

    /// Whether the bytes came from this URL.
    func isOf(_ url: URL) -> Bool { Self.origin(url) == (self.url, queryHash) }

    /// Whether the bytes of both came from one URL.
    func hasOrigin(of other: Self) -> Bool { url == other.url && queryHash == other.queryHash }

    /// The URL for messages.
    var shownURL: String { queryHash == nil ? url : "\(url)?…" }

    private static func origin(_ url: URL) -> (url: String, queryHash: String?) {
      guard var components = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return ("", nil) }
      // FNV-1a: the same in every process.
      let hash = components.percentEncodedQuery.map { query in
        query.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
      }
      components.user = nil
      components.password = nil
      components.query = nil
      components.fragment = nil
      return (components.string ?? "", hash.map { String($0, radix: 16) })
    }
  }

  static let suffix = ".part"
  /// The end of each part file.
  static let mark = Array("urlload1".utf8)
  /// Bytes; more is no record of ours.
  private static let longestRecord = 1 << 16

  let path: String
  let record: Record
  /// Bytes of the resource.
  let count: Int64
  /// The position of the record, which need not be right after them.
  let recordStart: Int64

  /// Nil for a file that is not one of ours.
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
    let start = size - 16 - Int64(length)
    let text = Self.read(descriptor, at: start, count: Int(length))
    guard let record = try? JSONDecoder().decode(Record.self, from: Data(text)),
      (0...start).contains(record.count ?? start), record.canBe(with: record.count ?? start)
    else { return nil }
    self.record = record
    self.path = path
    (count, recordStart) = (record.count ?? start, start)
  }

  private static func read(_ descriptor: Int32, at position: Int64, count: Int) -> [UInt8] {
    guard position >= 0 else { return [] }
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      let space = UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: count)
      initialized = max(0, DescriptorIO.read(into: space, from: descriptor, at: position))
    }
  }

  /// The longest part of a URL in a directory, whatever its name is.
  static func find(_ url: URL, in directory: String) -> PartFile? {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    return names.sorted().filter { $0.hasSuffix(suffix) || $0.contains("\(suffix).") }
      .compactMap { PartFile(path: FileNames.path(of: $0, in: directory)) }
      .filter { $0.record.isOf(url) }.max { $0.count < $1.count }
  }

  /// The part files that a file has, of whatever URLs.
  static func all(named name: String, in directory: String) -> [PartFile] {
    var parts: [PartFile] = []
    var missing = 0
    for path in paths(named: name, in: directory) {
      if let part = PartFile(path: path) { parts.append(part) }
      missing = access(path, F_OK) == 0 ? 0 : missing + 1
      // One that was removed leaves a gap.
      if missing == 10 { break }
    }
    return parts
  }

  /// The paths that parts of a file can have: `NAME.part`, `NAME.part.1` …
  static func paths(named name: String, in directory: String) -> some Sequence<String> {
    // Room for the suffix and a number in the 255 bytes that file systems allow.
    var stem = name
    while stem.utf8.count > 244 { stem.removeLast() }
    let first = FileNames.path(of: stem + suffix, in: directory)
    return (0..<10_000).lazy.map { $0 == 0 ? first : "\(first).\($0)" }
  }
}
