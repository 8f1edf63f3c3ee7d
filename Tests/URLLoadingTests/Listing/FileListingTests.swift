import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

@Suite(.timeLimit(.minutes(4))) struct FileListingTests {
  private let directory: TemporaryDirectory
  private let session = URLSession.direct()

  init() throws {
    directory = try TemporaryDirectory("listing")
  }

  private func entry(_ name: String, in entries: [URLDirectoryEntry]) throws -> URLDirectoryEntry {
    try #require(entries.first { $0.name == name }, "\(entries.map(\.name))")
  }

  @Test func kindsSizesAndDates() async throws {
    try directory.write("file.txt", "12345")
    try directory.write("folder/inner.txt", "inner")
    symlink("/nowhere", directory.file("dangling").path)
    symlink("folder", directory.file("link").path)
    mkfifo(directory.file("pipe").path, 0o600)
    var times = [timespec(tv_sec: 0, tv_nsec: 0), timespec(tv_sec: 1_700_000_000, tv_nsec: 500_000_000)]
    utimensat(AT_FDCWD, directory.file("file.txt").path, &times, 0)
    let entries = try await session.allEntries(at: directory.url)
    #expect(Set(entries.map(\.name)) == ["file.txt", "folder", "dangling", "link", "pipe"])
    #expect(entries.count == 5)
    let file = try entry("file.txt", in: entries)
    #expect(file.kind == .file && file.size == 5)
    #expect(file.modificationDate == Date(timeIntervalSince1970: 1_700_000_000.5))
    #expect(try await session.data(from: file.url).0 == Data("12345".utf8))
    let folder = try entry("folder", in: entries)
    #expect(folder.kind == .directory && folder.size == nil && folder.url.absoluteString.hasSuffix("/folder/"))
    #expect(try await session.allEntries(at: folder.url).map(\.name) == ["inner.txt"])
    #expect(try entry("dangling", in: entries).kind == .symbolicLink)
    let link = try entry("link", in: entries)
    #expect(link.kind == .symbolicLink && link.size == nil)
    #expect(
      try await session.allEntries(at: link.url).map(\.name) == ["inner.txt"], "a link that is asked for is followed")
    #expect(try entry("pipe", in: entries).kind == .other)
  }

  @Test func anEmptyDirectoryHasNone() async throws {
    #expect(try await session.allEntries(at: directory.url).isEmpty)
  }

  @Test func oddNamesCanBeLoaded() async throws {
    let names: [[UInt8]] = [
      Array("with space".utf8), Array("new\nline".utf8), Array("100%".utf8), Array("%2F".utf8), Array("?#;".utf8),
      Array("…".utf8), [0x61, 0xFF], [0xC3, 0x28], Array(repeating: 0x78, count: 255),
    ]
    for name in names {
      let path = directory.path.utf8CString.dropLast() + [0x2F] + name.map { CChar(bitPattern: $0) } + [0]
      let descriptor = open(Array(path), O_CREAT | O_WRONLY, 0o600)
      try #require(descriptor >= 0)
      #expect(name.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) } == name.count)
      close(descriptor)
    }
    let entries = try await session.allEntries(at: directory.url)
    #expect(Set(entries.map(\.nameBytes)) == Set(names))
    for entry in entries {
      #expect(try await session.data(from: entry.url).0 == Data(entry.nameBytes), "\(entry.url)")
    }
  }

  @Test func whatCannotBeListedHasItsCode() async throws {
    try directory.write("file.txt", "")
    for (path, code) in [
      ("missing", URLError.Code.fileDoesNotExist), ("missing/", .fileDoesNotExist), ("file.txt", .resourceUnavailable),
      ("file.txt/", .fileDoesNotExist), ("file.txt/below", .fileDoesNotExist),
    ] {
      let url = try #require(URL(string: directory.url.absoluteString + path))
      let error = try await #require(throws: URLError.self, "\(path)") { try await session.allEntries(at: url) }
      #expect(error.code == code, "\(path): \(error.localizedDescription)")
      #expect(error.failingURL == url)
    }
    let remote = try #require(URL(string: "file://elsewhere/tmp/"))
    let error = try await #require(throws: URLError.self) { try await session.allEntries(at: remote) }
    #expect(error.code == .fileDoesNotExist && error.localizedDescription.contains("elsewhere"))
    let plain = try await #require(throws: URLError.self) { try await session.data(from: directory.url) }
    #expect(plain.code == .fileIsDirectory)
  }

  /// Root may read everything, so this is looked at by a process that is somebody else.
  @Test func permissions() async throws {
    try directory.write("closed/a", "")
    try directory.write("names only/a", "12")
    chmod(directory.file("closed").path, 0)
    chmod(directory.file("names only").path, 0o744)
    defer { chmod(directory.file("closed").path, 0o755) }
    let (closed, named) = (directory.file("closed").path, directory.file("names only").path)
    await #expect(processExitsWith: .success) { [closed = closed as String, named = named as String] in
      if geteuid() == 0, setuid(65534) != 0 { exit(2) }
      let session = URLSession(configuration: .ephemeral)
      let error = await session.brokenEntries(at: URL(fileURLWithPath: closed)).error as? URLError
      if error?.code != .noPermissionsToReadFile { exit(3) }
      // Names may be read and what they name may not, unless one owns the directory.
      let entries = try await session.allEntries(at: URL(fileURLWithPath: named))
      if entries.map(\.name) != ["a"] || entries[0].kind != .file { exit(4) }
    }
  }

  @Test(.enabled(if: !Sanitizing.isOn)) func aHundredThousandEntriesTakeLittleMemory() async throws {
    let count = 100_000
    for number in 0..<count {
      let descriptor = open(directory.path + "/entry-\(number)", O_CREAT | O_WRONLY, 0o600)
      try #require(descriptor >= 0)
      close(descriptor)
    }
    let path = directory.path
    await #expect(processExitsWith: .success) { [path = path as String] in
      let session = URLSession(configuration: .ephemeral)
      let url = URL(fileURLWithPath: path, isDirectory: true)
      // What the first use of everything takes is not counted.
      for try await _ in session.entries(at: URL(fileURLWithPath: "/", isDirectory: true)) {}
      let before = MemoryTests.resident()
      var peak = before
      var seen = 0
      for try await _ in session.entries(at: url) {
        // Slow at first, while everything that is ahead would pile up.
        if seen < 100 { usleep(5000) }
        if seen % 1000 == 0 { peak = max(peak, MemoryTests.resident()) }
        seen += 1
      }
      if seen != 100_000 { exit(3) }
      // All of them together take more than 16 MiB.
      if peak - before > 8 << 20 { exit(4) }
    }
  }
}
