import Foundation
import TestServers
import Testing
import URLLoading

@testable import ArchiveProtocol

/// Members of local archives through every kind of task, and what can be wrong.
@Suite(.timeLimit(.minutes(2))) struct ArchiveLoadTests {
  private static func place(_ sample: ZipSample, in folder: TemporaryDirectory, as name: String = "a.zip") throws -> URL
  {
    try folder.write(name, Data(sample.bytes()))
  }

  private static func failure(_ url: URL) async throws -> URLError {
    try await #require(throws: URLError.self) { try await ArchiveSession.make().data(from: url) }
  }

  @Test func everyKindOfTaskLoadsAMember() async throws {
    let folder = try TemporaryDirectory("archive")
    let file = folder.file("a.zip")
    try await ZipTool.makeMany(20, size: 200_000, at: file, isStored: false)
    let url = try #require(URL(archive: file, member: ZipTool.name(7)))
    let expected = ZipTool.content(7, size: 200_000)
    let session = ArchiveSession.make()
    #expect(try await session.data(from: url).0 == expected)
    let (download, _) = try await session.download(from: url)
    #expect(try Data(contentsOf: download) == expected)
    try FileManager.default.removeItem(at: download)
    var bytes = Data()
    for try await byte in try await session.bytes(from: url).0 { bytes.append(byte) }
    #expect(bytes == expected)
    var request = URLRequest(url: url)
    request.setValue("bytes=150000-150009", forHTTPHeaderField: "Range")
    let (part, response) = try await session.data(for: request)
    #expect(part == expected[150_000..<150_010])
    #expect(response.contentRange?.completeLength == 200_000)
    request = URLRequest(url: url)
    request.httpMethod = "HEAD"
    let head = try await session.data(for: request)
    #expect(head.0.isEmpty && head.1.expectedContentLength == 200_000)
  }

  @Test func spellingsLeadToTheSameMember() async throws {
    let folder = try TemporaryDirectory("archive")
    let file = try Self.place(ZipSample([ZipSample.Member("a b/c.txt")]), in: folder)
    let session = ArchiveSession.make()
    for spelling in ["archive:\(file)!/a%20b/c.txt", "jar:\(file)!/a%20b/c.txt", "ZIP:\(file)!/a%20b/c.txt"] {
      let url = try #require(URL(string: spelling))
      let (data, response) = try await session.data(from: url)
      #expect(data == Data("content".utf8))
      #expect(response.url == URL(archive: file, member: "a b/c.txt"))
    }
  }

  @Test func nestedArchivesAreLoadedThroughEachOther() async throws {
    let folder = try TemporaryDirectory("archive")
    let innermost = ZipSample([ZipSample.Member("x")]).bytes()
    var member = ZipSample.Member("c.zip")
    member.content = innermost
    let inner = ZipSample([member]).bytes()
    member = ZipSample.Member("b.zip")
    member.content = inner
    let file = try Self.place(ZipSample([member]), in: folder)
    let url = try URL(archiveSpelling: "archive:archive:archive:\(file)!/b.zip!/c.zip!/x")
    #expect(try await ArchiveSession.make().data(from: url).0 == Data("content".utf8))
  }

  @Test func nestingHasALimit() async throws {
    let spelling = String(repeating: "archive:", count: 5) + "file:///none.zip" + String(repeating: "!/x", count: 5)
    let error = try await Self.failure(URL(archiveSpelling: spelling))
    #expect(error.code == .badURL)
    #expect(error.localizedDescription.contains("more than 4 archives"))
  }

  @Test func missingMembersDirectoriesAndArchivesHaveTheirCodes() async throws {
    let folder = try TemporaryDirectory("archive")
    let file = try Self.place(ZipSample([ZipSample.Member("d/a")]), in: folder)
    for (member, code) in [
      ("none", URLError.Code.fileDoesNotExist), ("d", .fileIsDirectory), ("", .fileIsDirectory),
      ("d/a/b", .fileDoesNotExist),
      ("d/a/", .resourceUnavailable),
    ] {
      let url = try #require(URL(archive: file, member: member))
      let error = try await Self.failure(url)
      #expect(error.code == code, "\(member): \(error.localizedDescription)")
      #expect(error.failingURL == url)
    }
    let lost = try #require(URL(archive: folder.file("lost.zip"), member: "a"))
    let error = try await Self.failure(lost)
    #expect(error.code == .fileDoesNotExist && error.localizedDescription.contains("lost.zip"))
    var request = URLRequest(url: try #require(URL(archive: file, member: "d/a")))
    request.httpMethod = "PUT"
    let refusal = try await #require(throws: URLError.self) { try await ArchiveSession.make().data(for: request) }
    #expect(refusal.code == .unsupportedURL && refusal.localizedDescription.contains("GET and HEAD, not PUT"))
  }

  @Test func damageIsToldWithArchiveAndMember() async throws {
    let folder = try TemporaryDirectory("archive")
    var member = ZipSample.Member("bad")
    member.checksum = 1
    let url = try #require(URL(archive: try Self.place(ZipSample([member]), in: folder), member: "bad"))
    let error = try await Self.failure(url)
    #expect(error.code == .cannotDecodeContentData)
    #expect(error.localizedDescription.contains("\"bad\"") && error.localizedDescription.contains("a.zip"))
    let text = try folder.write("text.zip", "this is no archive, only text")
    let other = try await Self.failure(try #require(URL(archive: text, member: "a")))
    #expect(other.code == .cannotDecodeRawData)
  }

  @Test func aSymbolicLinkIsFollowedInsideAndNeverOutside() async throws {
    let folder = try TemporaryDirectory("archive")
    var inside = ZipSample.Member("in")
    inside.content = Array("d/target".utf8)
    (inside.madeBy, inside.attributes) = (0x0314, 0o120777 << 16)
    var outside = ZipSample.Member("out")
    outside.content = Array("../../../etc/hostname".utf8)
    (outside.madeBy, outside.attributes) = (0x0314, 0o120777 << 16)
    let file = try Self.place(ZipSample([ZipSample.Member("d/target"), inside, outside]), in: folder)
    #expect(
      try await ArchiveSession.make().data(from: try #require(URL(archive: file, member: "in"))).0
        == Data("content".utf8))
    let error = try await Self.failure(try #require(URL(archive: file, member: "out")))
    #expect(error.code == .noPermissionsToReadFile)
    #expect(error.localizedDescription.contains("etc/hostname"))
  }

  @Test func theIndexOnDiskSparesTheDirectory() async throws {
    let folder = try TemporaryDirectory("archive")
    let known = try folder.write("x", "")
    let url = known.deletingLastPathComponent().appendingPathComponent("index", isDirectory: true)
    let entries = (0..<300).map(Self.entry)
    let index = KnownIndex(
      formatName: "zip", length: 1 << 41,
      validators: ResourceValidators(entityTag: "\"a\"", lastModified: Date(timeIntervalSince1970: 9)),
      index: ArchiveIndex(entries))
    let archive = try #require(URL(string: "https://example.org/a.zip"))
    IndexFile(directory: url, url: archive).save(index)
    let loaded = try #require(IndexFile(directory: url, url: archive).load())
    #expect(loaded.index.entries == index.index.entries)
    #expect((loaded.length, loaded.formatName) == (index.length, "zip"))
    #expect(loaded.validators == index.validators)
    // Every damage is as if there were no file.
    let file = try #require(try FileManager.default.contentsOfDirectory(at: url, includingPropertiesForKeys: nil).first)
    let good = try Data(contentsOf: file)
    for position in stride(from: 0, to: good.count, by: 97) {
      var bad = good
      bad[position] ^= 0x55
      try bad.write(to: file)
      #expect(IndexFile(directory: url, url: archive).load() == nil)
      try good.prefix(position).write(to: file)
      #expect(IndexFile(directory: url, url: archive).load() == nil)
    }
  }

  /// Entries of all sorts.
  private static func entry(_ number: Int) -> ArchiveEntry {
    let isEven = number % 2 == 0
    var entry = ArchiveEntry(path: Array("m\(number)".utf8), kind: .file, location: .plain(position: Int64(number)))
    if number % 7 == 0 { entry.kind = .symbolicLink(target: [0xff, 0]) }
    if number % 3 != 0 { entry.size = Int64(number) << 20 }
    if number % 5 != 0 { entry.modificationDate = Date(timeIntervalSince1970: 1.5) }
    if !isEven { entry.checksum = .max }
    if !isEven { entry.location = .zip(localHeader: 1 << 40, compressedSize: 3, method: 8, flags: 9) }
    entry.isEncrypted = isEven
    return entry
  }

  @Test func cancelEndsAWaitAtOnce() async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readRequest()
      _ = connection.waitForPeerClose()
    }
    let archive = server.url("/a.zip")
    let url = try #require(URL(archive: archive, member: "a"))
    let session = ArchiveSession.make()
    let load = Task { try await session.data(from: url) }
    #expect(await server.waitForRequests(1))
    load.cancel()
    let error = await #expect(throws: URLError.self) { try await load.value }
    #expect(error?.code == .cancelled)
    #expect(await server.stop())
  }
}
