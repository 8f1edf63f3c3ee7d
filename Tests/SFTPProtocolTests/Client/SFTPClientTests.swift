import Foundation
import Glibc
import Testing
import URLLoadingTestServers

@testable import SFTPProtocol

/// The client against OpenSSH's sftp-server.
@Suite struct SFTPClientTests {
  private let client = SFTPClient()
  private let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory("sftp-files")
  }

  private func path(_ name: String) -> [UInt8] { Array(folder.file(name).path.utf8) }

  private func readAll(
    _ server: PipedServer, _ handle: RemoteHandle, offset: UInt64, count: Int
  ) async throws -> Data {
    let collected = Collected()
    return try await server.ask { [client] reply in
      client.read(handle, offset: offset, count: count) { event in
        switch event {
        case .bytes(let bytes): collected.data.append(contentsOf: bytes)
        case .end: reply(.success(collected.data))
        case .failed(let failure): reply(.failure(failure))
        }
      }
    }
  }

  @Test func aFileIsWrittenReadAndDescribed() async throws {
    let server = try PipedServer(client)
    let path = path("größe %20\n.bin")
    let handle = try await server.ask { [client] in client.open(path, [.write, .create, .exclusive], $0) }
    let bytes = Array(TestFiles.pattern(count: 100_000))
    try await server.ask { [client] in client.write(handle, offset: 0, bytes[..<30_000], $0) }
    try await server.ask { [client] in client.write(handle, offset: 30_000, bytes[30_000...], $0) }
    try await server.ask { [client] in client.fsetstat(handle, FileAttributes(permissions: 0o640), $0) }
    try await server.ask { [client] in client.close(handle, $0) }
    #expect(try difference(Data(contentsOf: folder.file("größe %20\n.bin")), from: Data(bytes)) == nil)

    let attributes = try await server.ask { [client] in client.stat(path, $0) }
    #expect(attributes.size == 100_000)
    #expect(attributes.permissions == 0o100640)
    let age = Date().timeIntervalSince1970 - TimeInterval(try #require(attributes.modificationTime))
    #expect(abs(age) < 3600)
    #expect(attributes.kind == .regular)

    let reading = try await server.ask { [client] in client.open(path, .read, $0) }
    let part = try await readAll(server, reading, offset: 20_000, count: 60_000)
    #expect(difference(part, from: Data(bytes[20_000..<80_000])) == nil)
    let opened: FileAttributes = try await server.ask { [client] in client.fstat(reading, $0) }
    #expect(opened.size == 100_000)
    await #expect(throws: SFTPFailure.self) { try await readAll(server, reading, offset: 100_000, count: 1) }
    try await server.ask { [client] in client.close(reading, $0) }
    await server.stop()
  }

  @Test func namesAndDirectories() async throws {
    let server = try PipedServer(client)
    let directory = path("sub")
    for name in ["a", "b"] { try folder.write("sub/\(name)", name) }
    let one = path("sub/a")
    let two = path("sub/b")
    // Version 3 keeps a name that is taken; the extension replaces it.
    await #expect(throws: SFTPFailure.self) { try await server.ask { [client] in client.rename(one, to: two, $0) } }
    try await server.ask { [client] in client.posixRename(one, to: two, $0) }
    #expect(try String(contentsOf: folder.file("sub/b"), encoding: .utf8) == "a")

    symlink("b", folder.file("sub/link").path)
    let link = path("sub/link")
    let target: [UInt8] = try await server.ask { [client] in client.readlink(link, $0) }
    #expect(target == Array("b".utf8))
    let linkItself: FileAttributes = try await server.ask { [client] in client.lstat(link, $0) }
    #expect(linkItself.kind == .symbolicLink)
    let followed: FileAttributes = try await server.ask { [client] in client.stat(link, $0) }
    #expect(followed.kind == .regular)

    let handle = try await server.ask { [client] in client.opendir(directory, $0) }
    let names = try await server.ask { [client] in client.readdir(handle, $0) }
    #expect(Set(names.map { String(decoding: $0.bytes, as: UTF8.self) }) == [".", "..", "b", "link"])
    let end = await #expect(throws: SFTPFailure.self) {
      try await server.ask { [client] in client.readdir(handle, $0) }
    }
    #expect(end?.status == .endOfFile)
    try await server.ask { [client] in client.close(handle, $0) }

    try await server.ask { [client] in client.remove(link, $0) }
    try await server.ask { [client] in client.remove(two, $0) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("sub").path) == [])
    let home = try await server.ask { [client] in client.realpath(Array(".".utf8), $0) }
    #expect(home.first == UInt8(ascii: "/"))
    await server.stop()
  }

  @Test(arguments: [100, 4093, 256 << 10])
  func manyReadsAtOnceThroughPipesThatCutAnywhere(largestTransfer: Int) async throws {
    let count = 1 << 20
    try TestFiles.write(count: count, to: folder.file("big"))
    let server = try PipedServer(client, largestTransfer: largestTransfer)
    let path = path("big")
    let handle = try await server.ask { [client] in client.open(path, .read, $0) }
    let parts = try await withThrowingTaskGroup(of: (Int, Data).self) { group in
      for offset in stride(from: 0, to: count, by: 20_000) {
        group.addTask { (offset, try await readAll(server, handle, offset: UInt64(offset), count: 20_000)) }
      }
      return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
    let whole = parts.sorted { $0.key < $1.key }.reduce(into: Data()) { $0 += $1.value }
    #expect(TestFiles.firstDifference(whole, TestFiles.pattern(count: count)) == nil)
    await server.stop()
  }

  @Test func moreFilesThanTheServerTakesAreOpenedOneAfterAnother() async throws {
    for number in 0..<300 { try folder.write("f\(number)", "\(number)") }
    let server = try PipedServer(client)
    let texts = try await withThrowingTaskGroup(of: String.self) { group in
      for number in 0..<300 {
        let path = path("f\(number)")
        group.addTask {
          let handle = try await server.ask { [client] in client.open(path, .read, $0) }
          let data = try await readAll(server, handle, offset: 0, count: 100)
          try await server.ask { [client] in client.close(handle, $0) }
          return String(decoding: data, as: UTF8.self)
        }
      }
      return try await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(texts == Set((0..<300).map(String.init)))
    await server.stop()
  }

  @Test func aServerWithoutExtensions() async throws {
    let server = try PipedServer(client, arguments: ["-P", "posix-rename,fsync,limits"])
    let path = path("x")
    let handle = try await server.ask { [client] in client.open(path, [.write, .create], $0) }
    let largestRead: Int = try await server.ask { [client] in $0(.success(client.largestRead)) }
    #expect(largestRead == 32_768)
    try await server.ask { [client] in client.close(handle, $0) }
    await #expect(throws: SFTPFailure.self) {
      try await server.ask { [client] in client.posixRename(path, to: path, $0) }
    }
    await server.stop()
  }

  @Test func refusalsSayWhy() async throws {
    let server = try PipedServer(client)
    let missing = path("missing")
    let failure = await #expect(throws: SFTPFailure.self) {
      try await server.ask { [client] in client.open(missing, .read, $0) }
    }
    #expect(failure?.status == .noSuchFile)
    #expect(failure?.explanation == "there is no such file")
    let long = [UInt8](repeating: 0x61, count: 300_000)
    let tooLong = await #expect(throws: SFTPFailure.self) {
      try await server.ask { [client] in client.stat(long, $0) }
    }
    #expect(tooLong?.explanation.contains("bytes long") == true)
    await server.stop()
  }

  @Test func aServerThatDiesFailsWhatWaits() async throws {
    try TestFiles.write(count: 1 << 20, to: folder.file("big"))
    let server = try PipedServer(client)
    let path = path("big")
    let handle = try await server.ask { [client] in client.open(path, .read, $0) }
    server.kill()
    await #expect(throws: SFTPFailure.self) {
      while true { _ = try await readAll(server, handle, offset: 0, count: 1000) }
    }
    await server.stop()
    #expect(client.isClosed)
  }
}

/// Bytes that the closures of one read collect.
// Safe to share: used on the connection's thread only, until the read has ended.
private final class Collected: @unchecked Sendable {
  var data = Data()
}
