import Foundation
import Glibc
import Testing
import URLLoading
import URLLoadingTestServers

@testable import SFTPProtocol

/// Copies on a server, and between it and this machine, over pipes.
@Suite(.timeLimit(.minutes(3))) struct SFTPCopyTests {
  private let session = PipedProtocol.session()

  private func names(_ host: PipedHost) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: host.folder.path).sorted()
  }

  private func request(_ source: URL, _ target: URL, overwrite: String = "F") -> URLRequest {
    var request = URLRequest(url: source)
    request.httpMethod = "COPY"
    request.setValue(target.absoluteString, forHTTPHeaderField: "Destination")
    request.setValue(overwrite, forHTTPHeaderField: "Overwrite")
    return request
  }

  private func code(_ body: () async throws -> Void) async -> URLError.Code? {
    let error = await #expect(throws: URLError.self) { try await body() }
    return error?.code
  }

  /// A server that reads and writes nothing for its client copies by itself.
  @Test(arguments: [0, 1, 40_000_001]) func theServerCopiesByItself(count: Int) async throws {
    let host = try PipedHost(arguments: ["-P", "read,write"])
    let contents = TestFiles.pattern(count: count)
    let source = try host.folder.write("a ü", contents)
    let date = Date(timeIntervalSince1970: 1_000_000_000)
    try FileManager.default.setAttributes(
      [.modificationDate: date, .posixPermissions: 0o640], ofItemAtPath: source.path)
    try await session.copyItem(from: host.url("a ü"), to: host.url("b"))
    #expect(TestFiles.firstDifference(try Data(contentsOf: host.folder.file("b")), contents) == nil)
    let copy = try await session.resourceInfo(at: host.url("b"))
    #expect(copy.permissions == 0o640 && copy.modificationDate == date)
    #expect(try names(host) == ["a ü", "b"])
    await host.stop()
  }

  /// What lacks the extension loads and stores, with mode and date.
  @Test func aServerWithoutTheExtensionIsCopiedThrough() async throws {
    let host = try PipedHost(arguments: ["-P", "copy-data"])
    let source = try host.folder.write("a", "contents")
    let date = Date(timeIntervalSince1970: 1_000_000_000)
    try FileManager.default.setAttributes(
      [.modificationDate: date, .posixPermissions: 0o600], ofItemAtPath: source.path)
    #expect(
      await code { _ = try await session.data(for: request(host.url("a"), host.url("b"))) } == .unsupportedURL)
    try await session.copyItem(from: host.url("a"), to: host.url("b"))
    let copy = try await session.resourceInfo(at: host.url("b"))
    #expect(copy.permissions == 0o600 && copy.modificationDate == date && copy.size == 8)
    #expect(try names(host) == ["a", "b"])
    await host.stop()
  }

  @Test func whatIsThereIsReplacedOnlyWhereAsked() async throws {
    let host = try PipedHost(arguments: ["-P", "read,write"])
    for name in ["new", "old"] { try host.folder.write(name, name) }
    chmod(host.folder.file("old").path, 0o600)
    symlink("old", host.folder.file("link").path)
    mkdir(host.folder.file("folder").path, 0o755)
    func text(_ name: String) throws -> String { try String(contentsOf: host.folder.file(name), encoding: .utf8) }
    let cases: [(source: String, target: String, overwrites: Bool, code: URLError.Code)] = [
      ("new", "old", false, .cannotCreateFile), ("new", "link", false, .cannotCreateFile),
      ("missing", "old", true, .fileDoesNotExist), ("folder", "old", true, .fileIsDirectory),
      ("new", "folder", true, .fileIsDirectory), ("new", "missing/x", true, .fileDoesNotExist),
      ("new", "new", true, .cannotCreateFile), ("new/", "x", true, .fileDoesNotExist),
    ]
    for (source, target, overwrites, expected) in cases {
      let request = request(host.url(source), host.url(target), overwrite: overwrites ? "T" : "F")
      let code = await code { _ = try await session.data(for: request) }
      #expect(code == expected, "\(source) \(target)")
    }
    #expect(try text("old") == "old" && text("new") == "new")
    // The file that a link leads to is replaced, and keeps its permissions.
    _ = try await session.data(for: request(host.url("new"), host.url("link"), overwrite: "T"))
    var status = stat()
    #expect(try text("old") == "new" && lstat(host.folder.file("link").path, &status) == 0)
    #expect(status.st_mode & S_IFMT == S_IFLNK)
    #expect(stat(host.folder.file("old").path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    #expect(try await eventually { try names(host) == ["folder", "link", "new", "old"] })
    await host.stop()
  }

  @Test func anAbandonedCopyLeavesNothing() async throws {
    let host = try PipedHost()
    // More than the server copies in a step.
    let source = host.folder.file("a")
    #expect(FileManager.default.createFile(atPath: source.path, contents: nil))
    #expect(truncate(source.path, 1 << 30) == 0)
    let watcher = CopyWatcher()
    let copying = Task { [session] in
      try await session.data(for: request(host.url("a"), host.url("b")), delegate: watcher)
    }
    #expect(await watcher.hasBegun.wait())
    copying.cancel()
    let error = await #expect(throws: URLError.self) { try await copying.value }
    #expect(error?.code == .cancelled)
    #expect(try await eventually { try names(host) == ["a"] })
    // The connection is of use.
    try host.folder.write("c", "c")
    #expect(try await session.data(from: host.url("c")).0 == Data("c".utf8))
    await host.stop()
  }

  @Test func aHundredAtOnce() async throws {
    let host = try PipedHost(arguments: ["-P", "read,write"])
    try host.folder.write("a", "contents")
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<100 {
        group.addTask { [session] in
          try await session.copyItem(from: host.url("a"), to: host.url("copy \(number)"))
        }
      }
      try await group.waitForAll()
    }
    #expect(try names(host).count == 101)
    await host.stop()
  }

  /// Modes go along between schemes, of directories, too; less the mask.
  @Test func modesGoAlong() async throws {
    let (host, other) = (try PipedHost(), try TemporaryDirectory("sftp-modes"))
    let tree = other.file("tree")
    for (name, mode) in [("tree", 0o755), ("tree/private", 0o700), ("tree/locked", 0o555)] as [(String, mode_t)] {
      #expect(mkdir(other.file(name).path, 0o755) == 0 && chmod(other.file(name).path, mode) == 0)
    }
    chmod(other.file("tree/locked").path, 0o755)
    for (name, mode) in [("tree/run", 0o755), ("tree/private/key", 0o600), ("tree/locked/read", 0o444)]
      as [(String, mode_t)]
    {
      try other.write(name, "contents")
      chmod(other.file(name).path, mode)
    }
    chmod(other.file("tree/locked").path, 0o555)
    func modes(_ folder: URL) throws -> [mode_t] {
      try ["", "run", "private", "private/key", "locked/read", "locked"].map { name in
        var status = stat()
        try #require(stat(folder.appendingPathComponent(name).path, &status) == 0)
        return status.st_mode & 0o7777
      }
    }
    try await session.copyItem(from: tree, to: host.url("tree"), recursively: true)
    let mask = umask(0)
    umask(mask)
    // A directory in which nothing may be made could not be filled.
    let expected = [0o755, 0o755, 0o700, 0o600, 0o444, 0o755].map { $0 & ~mask }
    #expect(try modes(host.folder.file("tree")) == expected)
    try await session.copyItem(from: host.url("tree"), to: other.file("back"), recursively: true)
    #expect(try modes(other.file("back")) == expected)
    await host.stop()
  }
}

/// Tells when a copy has begun.
private final class CopyWatcher: NSObject, URLSessionTaskDelegate, Sendable {
  let hasBegun = AsyncEvent()

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64
  ) {
    hasBegun.signal()
  }
}
