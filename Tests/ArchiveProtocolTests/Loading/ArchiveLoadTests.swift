import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

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
    #expect(try await TestFiles.firstDifference(session.data(from: url).0, expected) == nil)
    let (download, _) = try await session.download(from: url)
    #expect(try TestFiles.firstDifference(Data(contentsOf: download), expected) == nil)
    try FileManager.default.removeItem(at: download)
    var bytes = Data()
    for try await byte in try await session.bytes(from: url).0 { bytes.append(byte) }
    #expect(TestFiles.firstDifference(bytes, expected) == nil)
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
    let url = try URL(archiveString: "archive:archive:archive:\(file)!/b.zip!/c.zip!/x")
    #expect(try await ArchiveSession.make().data(from: url).0 == Data("content".utf8))
  }

  @Test func nestingHasALimit() async throws {
    let spelling = String(repeating: "archive:", count: 5) + "file:///none.zip" + String(repeating: "!/x", count: 5)
    let error = try await Self.failure(URL(archiveString: spelling))
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

  @Test func theIndexOnDiskHasNoPasswordAndOneReader() throws {
    let folder = try TemporaryDirectory("archive")
    let directory = folder.file("new/index")
    let index = KnownIndex(
      formatName: "zip", length: 9, validators: ResourceValidators(entityTag: "\"a\""), index: ArchiveIndex([]))
    let urls = ["http://me:secret@h/x.zip", "archive://http%3A%2F%2Fme%3Asecret%40h%2Fx.zip/y.zip"].compactMap(URL.init)
    for url in urls { IndexFile(directory: directory, url: url).save(index) }
    func mode(_ url: URL) throws -> Int {
      try #require(FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int)
    }
    #expect(try mode(directory) == 0o700)
    #expect(try mode(directory.deletingLastPathComponent()) == 0o700)
    let files = try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
    #expect(files.count == 2)
    for file in files {
      #expect(try mode(file) == 0o600)
      let content = try Data(contentsOf: file)
      for word in ["secret", "me:", "http"] { #expect(content.range(of: Data(word.utf8)) == nil) }
    }
    // The name says nothing of the password either: with another one it is the same.
    for url in urls { #expect(IndexFile(directory: directory, url: url).load() != nil) }
    let other = try #require(URL(string: "http://me:other@h/x.zip"))
    #expect(IndexFile(directory: directory, url: other).load() != nil)
    let stranger = try #require(URL(string: "http://you:secret@h/x.zip"))
    #expect(IndexFile(directory: directory, url: stranger).load() == nil)
  }

  /// What needs a login is not told by an index to who has none.
  @Test func theIndexOnDiskDoesNotStandInForALogin() async throws {
    let folder = try TemporaryDirectory("archive")
    let bytes = Data(ZipSample([ZipSample.Member("private")]).bytes())
    let login = "Basic " + Data("me:secret".utf8).base64EncodedString()
    let server = try ScriptedServer.http { request in
      guard request.fields["Authorization"] == login else {
        return HTTPResponse(401, fields: ["WWW-Authenticate": "Basic realm=\"r\""], text: "no")
      }
      guard let asked = ByteRange(fieldValue: request.fields["Range"] ?? ""),
        case .partial(let range) = asked.selection(ofLength: Int64(bytes.count))
      else { return HTTPResponse(200, fields: ["ETag": "\"a\"", "Accept-Ranges": "bytes"], body: bytes) }
      return HTTPResponse(
        206, fields: ["Content-Range": range.fieldValue, "ETag": "\"a\""],
        body: bytes[Int(range.firstByte)...Int(range.lastByte)])
    }
    var components = try #require(URLComponents(url: server.url("/x.zip"), resolvingAgainstBaseURL: true))
    (components.user, components.password) = ("me", "secret")
    let archive = try #require(components.url)
    func names(_ archive: URL) async throws -> [String] {
      var names: [String] = []
      let session = ArchiveSession.make { $0.indexDirectory = folder.file("index") }
      for try await entry in session.entries(at: try #require(URL(archive: archive, member: ""))) {
        names.append(entry.name)
      }
      return names
    }
    #expect(try await names(archive) == ["private"])
    #expect(IndexFile(directory: folder.file("index"), url: archive).load() != nil)
    components.password = "wrong"
    let wrong = try #require(components.url)
    let error = try await #require(throws: URLError.self) { try await names(wrong) }
    #expect(!error.localizedDescription.contains("private") && !error.localizedDescription.contains("wrong@"))
    #expect(try await names(archive) == ["private"])
  }

  @Test func aSessionGoesByItsOwnLimitsWhateverAnotherOneHasOpened() async throws {
    let folder = try TemporaryDirectory("archive")
    let index = folder.file("index")
    let file = try Self.place(ZipSample(["a", "b", "c"].map { ZipSample.Member($0) }), in: folder)
    let url = try #require(URL(archive: file, member: "b"))
    let loose = ArchiveSession.make { $0.indexDirectory = index }
    let tight = ArchiveSession.make { ($0.indexDirectory, $0.maximumMembers) = (index, 2) }
    #expect(loose.configuration.archive.maximumMembers > 2 && tight.configuration.archive.maximumMembers == 2)
    for _ in 0..<2 {
      #expect(try await loose.data(from: url).0 == Data("content".utf8))
      #expect(IndexFile(directory: index, url: file, limits: loose.configuration.archive).load() != nil)
      #expect(IndexFile(directory: index, url: file, limits: tight.configuration.archive).load() == nil)
      let error = try await #require(throws: URLError.self) { try await tight.data(from: url) }
      #expect(error.code == .dataLengthExceedsMaximum)
      #expect(error.localizedDescription.contains("URLSessionConfiguration.archive.maximumMembers raises that"))
    }
  }

  @Test func anIndexOnDiskThatIsTooLargeIsNotRead() throws {
    let folder = try TemporaryDirectory("archive")
    let archive = try #require(URL(string: "http://h/x.zip"))
    var limits = ArchiveConfiguration()
    limits.maximumIndexBytes = 1000
    let index = KnownIndex(
      formatName: "zip", length: 9, validators: ResourceValidators(entityTag: "\"a\""),
      index: ArchiveIndex((0..<100).map(Self.entry)))
    let file = IndexFile(directory: folder.url, url: archive, limits: limits)
    file.save(index)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 1)
    #expect(file.load() == nil)
  }

  @Test func whatHasNoContentIsSaidToBeWhatItIs() async throws {
    let folder = try TemporaryDirectory("archive")
    try folder.write("file", "content")
    #expect(mkfifo(folder.file("pipe").path, 0o600) == 0)
    #expect(link(folder.file("pipe").path, folder.file("second").path) == 0)
    let tar = folder.file("a.tar")
    let made = try await Command.run("/bin/tar", ["cf", tar.path, "-C", folder.path, "file", "pipe", "second"])
    #expect(made.status == .exited(0), "\(made.error)")
    for name in ["pipe", "second"] {
      let url = try #require(URL(archive: tar, member: name))
      let error = try await Self.failure(url)
      #expect(error.code == .cannotOpenFile)
      #expect(error.localizedDescription == "\(url.absoluteString) is a FIFO, which has no content.")
    }
  }

  /// Entries of all sorts.
  private static func entry(_ number: Int) -> ArchiveEntry {
    let isEven = number % 2 == 0
    var entry = ArchiveEntry(path: Array("m\(number)".utf8), kind: .file, location: .plain(position: Int64(number)))
    if number % 7 == 0 { entry.kind = .symbolicLink(target: [0xff, 0]) }
    if number % 11 == 0 { entry.kind = .other(.socket) }
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
    #expect(await server.waitForRequests(1, timeout: .seconds(60)))
    load.cancel()
    let error = await #expect(throws: URLError.self) { try await load.value }
    #expect(error?.code == .cancelled)
    #expect(await server.stop())
  }
}
