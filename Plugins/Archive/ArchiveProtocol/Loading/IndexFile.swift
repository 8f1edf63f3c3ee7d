import Foundation
import URLLoading
internal import URLLoadingBase
internal import URLLoadingHTTPSemantics

/// The directory of an archive in a file of `indexDirectory`.
///
/// The file is a cache: one that is missing, damaged, of another version or of another archive is ignored. It begins with a magic
/// number and ends with the CRC-32 of all before it.
///
/// It contains no URL, only a hash of the URL without its passwords, as does its name. It is used only after the archive itself was
/// opened, with the login that takes, and has the same length and validators. Files and directories are made for their owner alone.
///
/// A file is valid for the limits under which the directory was read: a session with other limits reads the archive itself, which
/// it may have to refuse.
struct IndexFile {
  /// Version 3 knows the kinds of zip members by their data, and hard links by the order of members.
  private static let magic = Array("URLLoading index 3\n".utf8)
  /// Files in a directory of indexes; the oldest are removed.
  private static let maximumFiles = 256

  private let directory: URL
  /// What the index is of: the limits, and the URL without its password.
  private let text: String
  private let maximumBytes: Int64
  /// The URL that version 1 of the file had in its name and content.
  private let whole: String

  init(directory: URL, url: URL, limits: ArchiveConfiguration = ArchiveConfiguration()) {
    self.directory = directory
    whole = url.absoluteString
    maximumBytes = limits.maximumIndexBytes
    text =
      "\(limits.maximumMembers) \(limits.maximumIndexBytes) \(URLSecrets.cleared(whole, .removePassword))"
  }

  private var file: URL { directory.appendingPathComponent(Self.name(of: "2 " + text)) }

  private static func name(of text: String) -> String { String(hash(text), radix: 16) + ".archive-index" }

  private static func hash(_ text: String) -> UInt64 {
    var hash = FNV1a()
    hash.add(text.utf8)
    return hash.value
  }

  /// Another hash: tells URLs apart whose files have the same name.
  private var mark: [UInt8] { Array(String(Self.hash("archive " + text), radix: 16).utf8) }

  /// Reads the directory; nil where there is no valid one.
  func load() -> KnownIndex? {
    guard let content = contents(), content.count > Self.magic.count + 4 else { return nil }
    let bytes = Array(content.dropLast(4))
    var reader = IndexDecoder(bytes)
    guard Self.checksum(bytes) == content.suffix(4).reduce(0, { $0 << 8 | UInt32($1) }),
      reader.take(Self.magic.count).elementsEqual(Self.magic), reader.takeBytes().elementsEqual(mark)
    else { return nil }
    return reader.takeIndex()
  }

  /// The file's bytes; nil where there is none, or it is larger than the directory itself may be.
  private func contents() -> Data? {
    // Foundation's functions for files open them without close-on-exec.
    let descriptor = open(file.path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    guard let size = FileVersion(of: descriptor)?.size, size <= maximumBytes else { return nil }
    return try? handle.read(upToCount: Int(size))
  }

  /// Writes the directory. Errors are ignored.
  func save(_ known: KnownIndex) {
    var encoder = IndexEncoder(Self.magic)
    encoder.put(mark)
    encoder.put(known)
    let checksum = withUnsafeBytes(of: Self.checksum(encoder.bytes).bigEndian, Array.init)
    Self.makeDirectory(directory.path)
    write(Data(encoder.bytes + checksum))
    // Files of version 1 hold passwords.
    unlink(directory.appendingPathComponent(Self.name(of: whole)).path)
    prune()
  }

  /// Replaces the file atomically, with mode 0600 from the start.
  private func write(_ bytes: Data) {
    let temporary = directory.appendingPathComponent(".\(UInt64.random(in: 0 ... .max)).partial").path
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { return }
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    do {
      try handle.write(contentsOf: bytes)
      try handle.close()
      guard rename(temporary, file.path) == 0 else { throw CocoaError(.fileWriteUnknown) }
    } catch {
      unlink(temporary)
    }
  }

  /// Makes a directory, and missing ones above it, with mode 0700 from the start.
  private static func makeDirectory(_ path: String) {
    guard mkdir(path, 0o700) != 0, errno == ENOENT else { return }
    let parent = (path as NSString).deletingLastPathComponent
    guard !parent.isEmpty, parent != path else { return }
    makeDirectory(parent)
    mkdir(path, 0o700)
  }

  private func prune() {
    let key = URLResourceKey.contentModificationDateKey
    let files = try? FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: [key])
    guard let files, files.count > Self.maximumFiles else { return }
    let dated = files.filter { $0.pathExtension == "archive-index" }.map { file in
      (file, (try? file.resourceValues(forKeys: [key]))?.contentModificationDate ?? .distantPast)
    }
    for (file, _) in dated.sorted(by: { $0.1 < $1.1 }).dropLast(Self.maximumFiles) {
      try? FileManager.default.removeItem(at: file)
    }
  }

  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    var checksum = RunningChecksum()
    bytes.withUnsafeBytes { checksum.add($0) }
    return checksum.value
  }
}
