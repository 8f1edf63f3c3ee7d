import Foundation
import Glibc
import Testing
import URLLoading
import URLLoadingTestServers

@testable import SFTPProtocol

/// Directories.
@Suite struct SFTPListingTests {
  private let session = PipedProtocol.session()

  private func list(_ url: URL, in session: URLSession? = nil) async throws -> [URLDirectoryEntry] {
    var entries: [URLDirectoryEntry] = []
    for try await entry in (session ?? self.session).entries(at: url) { entries.append(entry) }
    return entries.sorted { $0.nameBytes.lexicographicallyPrecedes($1.nameBytes) }
  }

  @Test func kindsSizesAndDates() async throws {
    let host = try PipedHost()
    try host.folder.write("f", "12345")
    try host.folder.write("d/inner", "")
    mkfifo(host.folder.file("p").path, 0o600)
    symlink("d", host.folder.file("l").path)
    var times = [timespec(tv_sec: 0, tv_nsec: 0), timespec(tv_sec: 1_700_000_000, tv_nsec: 0)]
    utimensat(AT_FDCWD, host.folder.file("f").path, &times, 0)
    let entries = try await list(host.url(""))
    #expect(entries.map(\.name) == ["d", "f", "l", "p"])
    #expect(entries.map(\.kind) == [.directory, .file, .symbolicLink, .other])
    #expect(entries.map(\.size) == [nil, 5, nil, nil])
    #expect(entries[1].modificationDate == Date(timeIntervalSince1970: 1_700_000_000))
    #expect(try await session.data(from: entries[1].url).0 == Data("12345".utf8))
    // Links are followed where they are named, with or without a slash; and entries can be listed in turn.
    for url in [entries[0].url, host.url("d"), host.url("l"), host.url("l/")] {
      #expect(try await list(url).map(\.name) == ["inner"])
    }
    try FileManager.default.createDirectory(at: host.folder.file("empty"), withIntermediateDirectories: true)
    #expect(try await list(host.url("empty")).isEmpty)
    await host.stop()
  }

  /// Whatever a name is made of, its entry's URL leads to it.
  @Test func namesAreBytes() async throws {
    let host = try PipedHost()
    let names: [[UInt8]] = [
      Array("a b".utf8), Array("100%".utf8), Array("%41".utf8), Array("new\nline".utf8), Array("größe 日本".utf8),
      Array("?#;&=+".utf8), Array("~".utf8), Array("...".utf8), [0xFF, 0xFE, 0x80], [0x61, 0xC3], Array("\\".utf8),
      [1, 0x7F],
    ]
    for name in names {
      let path = Array((host.folder.path + "/").utf8) + name
      let file = open(path.map { CChar(bitPattern: $0) } + [0], O_CREAT | O_WRONLY, 0o600)
      #expect(file >= 0 && write(file, name, name.count) == name.count && close(file) == 0)
    }
    let entries = try await list(host.url(""))
    #expect(entries.map(\.nameBytes) == names.sorted { $0.lexicographicallyPrecedes($1) })
    for entry in entries {
      #expect(try await session.data(from: entry.url).0 == Data(entry.nameBytes), "\(entry.url)")
    }
    await host.stop()
  }

  @Test func whatCannotBeListedSaysWhy() async throws {
    let host = try PipedHost()
    try host.folder.write("f", "x")
    mkfifo(host.folder.file("pipe").path, 0o600)
    let cases: [(String, URLError.Code)] = [
      ("f", .resourceUnavailable), ("pipe", .resourceUnavailable), ("missing", .fileDoesNotExist),
      ("missing/", .fileDoesNotExist), ("f/x", .fileDoesNotExist),
    ]
    for (path, code) in cases {
      let error = await #expect(throws: URLError.self) { try await list(host.url(path)) }
      #expect(error?.code == code, "\(path)")
      #expect(error?.failingURL == host.url(path))
    }
    await host.stop()
  }

  @Test func aDirectoryThatMayNotBeReadIsRefused() async throws {
    // Root may read everything: the server itself is told to deny it.
    let host = try PipedHost(arguments: ["-P", "opendir"])
    let error = await #expect(throws: URLError.self) { try await list(host.url("")) }
    #expect(error?.code == .noPermissionsToReadFile)
    await host.stop()
  }

  @Test func aListingThatIsLeftLeavesNothingOpen() async throws {
    let host = try PipedHost()
    for number in 0..<3000 { try host.folder.write("\(number)", "") }
    // Nobody reads this to its end, so that the connection stays.
    try TestFiles.write(count: 32 << 20, to: host.folder.file("big"))
    let (bytes, _) = try await session.bytes(from: host.url("big"))
    var reader = bytes.makeAsyncIterator()
    _ = try await reader.next()
    for _ in 0..<5 {
      for try await _ in session.entries(at: host.url("")) { break }
    }
    let server = try #require(host.connections.value.first)
    #expect(try await eventually { server.openFiles(named: host.folder.path) == 0 })
    #expect(try await list(host.url("")).count == 3001)
    #expect(host.connections.value.count == 1)
    bytes.task.cancel()
    await host.stop()
  }

  @Test func aConnectionThatIsLostBeforehandIsReplacedAndLaterIsAnError() async throws {
    let host = try PipedHost()
    for number in 0..<20_000 { close(open(host.folder.path + "/\(number)", O_CREAT, 0o600)) }
    #expect(try await list(host.url("")).count == 20_000)
    host.connections.value.first?.kill()
    #expect(try await list(host.url("")).count == 20_000)
    #expect(host.connections.value.count == 2)
    var count = 0
    let error = await #expect(throws: URLError.self) {
      for try await _ in session.entries(at: host.url("")) {
        if count == 0 { host.connections.value.last?.kill() }
        count += 1
      }
    }
    #expect(error?.code == .networkConnectionLost)
    #expect(count > 0 && count < 20_000)
    await host.stop()
  }

  /// While it is paused, no more comes than was asked for before.
  @Test func aPauseHoldsTheServerBack() async throws {
    let folder = try TemporaryDirectory("listed")
    for number in 0..<5000 { try folder.write("\(number)", "") }
    let client = SFTPClient()
    let server = try PipedServer(client)
    let url = try #require(URL(string: "sftp://h\(folder.path)"))
    let path = try RemotePath(of: url)
    let count = Watched(0)
    let isDone = AsyncEvent()
    let listing = Watched<RemoteListing?>(nil)
    let remote = RemoteServer(client: client, perform: { server.perform($0) })
    listing.update {
      $0 = RemoteListing(url: url, path: path, server: remote) { event in
        switch event {
        case .entries(let entries):
          if count.value == 0 { listing.value?.pause(true) }
          count.update { $0 += entries.count }
        case .finished: isDone.signal()
        default: break
        }
      }
    }
    server.perform { listing.value?.start() }
    #expect(await count.wait { $0 > 0 })
    // The server answers in turn: after this nothing more can come.
    let _: FileAttributes = try await server.ask { client.stat(path.bytes, $0) }
    #expect(count.value <= 800)
    #expect(!isDone.isSignalled)
    server.perform { listing.value?.pause(false) }
    #expect(await isDone.wait())
    #expect(count.value == 5000)
    await server.stop()
  }

  @Test func manyEntriesOfSshd() async throws {
    let server = try await SSHServer.start()
    let home = try await SSHHome.friendly(to: server)
    let folder = server.home.appendingPathComponent("many")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for number in 0..<100_000 { close(open(folder.path + "/\(number)", O_CREAT, 0o600)) }
    var seen = Set<Int>()
    for try await entry in home.session.entries(at: server.url("/~/many")) {
      seen.insert(try #require(Int(entry.name)))
    }
    #expect(seen.count == 100_000)
    #expect(seen.max() == 99_999)
    await server.stop()
  }

  /// A server that works at several questions at once, and fails when they are about the same directory.
  @Test func aServerThatIsNotOpenSSH() async throws {
    let server = try await PasswordSSHServer.start()
    for number in 0..<1000 {
      try Data().write(to: server.home.appendingPathComponent("\(number)"))
    }
    let home = try SSHHome(knownHosts: "[127.0.0.1]:\(server.port) \(server.hostKey.publicLine)\n")
    var components = URLComponents()
    components.scheme = "sftp"
    components.host = "127.0.0.1"
    components.port = Int(server.port)
    components.user = PasswordSSHServer.user
    components.password = PasswordSSHServer.password
    components.path = "/"
    #expect(try await list(try #require(components.url), in: home.session).count == 1000)
    await server.stop()
  }
}
