import ArchiveProtocol
import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// What a member of a remote archive costs.
@Suite(.serialized, .timeLimit(.minutes(3))) struct RemoteZipTests {
  private static let count = 5000
  private static let size = 3000

  /// A server of its own, whose access log counts.
  private static func serveMany() async throws -> (server: NginxServer, archive: URL) {
    let server = try await NginxServer.start()
    let file = server.documentRoot.appendingPathComponent("many.zip")
    try await ZipTool.makeMany(count, size: size, at: file)
    return (server, file)
  }

  private static func ranges(_ server: NginxServer) -> [(status: String, sent: Int)] {
    server.accessLog.filter { $0.contains("many.zip") }.map { line in
      let fields = line.split(separator: " ")
      return (String(fields[2]), Int(fields.last ?? "") ?? 0)
    }
  }

  @Test func aMemberCostsTheDirectoryAndItsOwnBytes() async throws {
    let (server, file) = try await Self.serveMany()
    let session = ArchiveSession.make()
    let archive = server.url("/many.zip")
    let url = try #require(URL(archive: archive, member: ZipTool.name(1200)))
    let (data, response) = try await session.data(from: url)
    #expect(data == ZipTool.content(1200, size: Self.size))
    #expect(response.expectedContentLength == 1024)
    #expect(response.mimeType == "application/octet-stream")
    #expect(response.suggestedFilename == "001200.bin")
    #expect(response.validators.isStrong)
    let first = Self.ranges(server)
    #expect(first.count <= 3)
    #expect(first.allSatisfy { $0.status == "206" })
    // 5,000 records of 46 bytes and a name of 20; nginx counts its heads, too.
    let directory = Self.count * 66
    #expect(first.reduce(0) { $0 + $1.sent } <= directory + (128 << 10))

    let second = try #require(URL(archive: archive, member: ZipTool.name(4711)))
    #expect(try await session.data(from: second).0 == ZipTool.content(4711, size: Self.size))
    #expect(Self.ranges(server).count == first.count + 1)
    withExtendedLifetime(file) {}
    await server.stop()
  }

  @Test func withoutRangesTheArchiveIsLoadedOnce() async throws {
    let (server, _) = try await Self.serveMany()
    let session = ArchiveSession.make()
    let archive = server.url("/noranges/many.zip")
    for number in [0, 4999, 17] {
      let url = try #require(URL(archive: archive, member: ZipTool.name(number)))
      #expect(try await session.data(from: url).0 == ZipTool.content(number, size: Self.size))
    }
    #expect(Self.ranges(server).map(\.status) == ["200"])
    await server.stop()
  }

  /// As PyPI's server did: ranges, but no suffix ranges.
  @Test(arguments: [400, 416, 501]) func aServerWithoutSuffixRanges(status: Int) async throws {
    let folder = try TemporaryDirectory("zip")
    let file = folder.file("many.zip")
    try await ZipTool.makeMany(500, size: Self.size, at: file)
    let body = try Data(contentsOf: file)
    let server = try ScriptedServer.http { request in
      let range = request.fields["Range"].flatMap(ByteRange.init(fieldValue:))
      if case .suffix = range { return HTTPResponse(status, text: "Unsupported client range") }
      guard case .partial(let part)? = range?.selection(ofLength: Int64(body.count)) else {
        return HTTPResponse(fields: ["ETag": "\"a\""], body: body)
      }
      return HTTPResponse(
        206, fields: ["ETag": "\"a\"", "Content-Range": part.fieldValue],
        body: body[Int(part.firstByte)...Int(part.lastByte)])
    }
    let url = try #require(URL(archive: server.url("/many.zip"), member: ZipTool.name(250)))
    #expect(try await ArchiveSession.make().data(from: url).0 == ZipTool.content(250, size: Self.size))
    #expect(server.requests.allSatisfy { $0.fields["Range"] != nil } && server.requests.count <= 5)
  }

  @Test func manyLoadsAtOnceShareOneIndex() async throws {
    let (server, _) = try await Self.serveMany()
    let session = ArchiveSession.make()
    let archive = server.url("/many.zip")
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in stride(from: 0, to: 1000, by: 5) {
        group.addTask {
          let url = try #require(URL(archive: archive, member: ZipTool.name(number)))
          #expect(try await session.data(from: url).0 == ZipTool.content(number, size: Self.size))
        }
      }
      try await group.waitForAll()
    }
    // The index once, and never more than one request a member.
    #expect(Self.ranges(server).count <= 202)
    await server.stop()
  }

  @Test func anArchiveThatChangesIsReadAnew() async throws {
    let (server, file) = try await Self.serveMany()
    let session = ArchiveSession.make()
    let archive = server.url("/many.zip")
    let url = try #require(URL(archive: archive, member: ZipTool.name(100)))
    #expect(try await session.data(from: url).0.count == 1024)
    let other = try TemporaryDirectory("zip").file("other.zip")
    try FileManager.default.createDirectory(at: other.deletingLastPathComponent(), withIntermediateDirectories: true)
    try await ZipTool.makeMany(4000, size: 5000, at: other)
    try FileManager.default.removeItem(at: file)
    try FileManager.default.moveItem(at: other, to: file)
    let changed = try #require(URL(archive: archive, member: ZipTool.name(3999)))
    #expect(try await session.data(from: changed).0 == ZipTool.content(3999, size: 5000))
    await server.stop()
  }

  /// A listing of what is no directory is no sign that the archive has changed.
  @Test func aListingOfAMemberReadsNoArchiveAnew() async throws {
    let (server, _) = try await Self.serveMany()
    let session = ArchiveSession.make()
    let url = try #require(URL(archive: server.url("/many.zip"), member: ZipTool.name(7)))
    #expect(try await session.data(from: url).0 == ZipTool.content(7, size: Self.size))
    let before = Self.ranges(server).count
    let error = try await #require(throws: URLError.self) { for try await _ in session.entries(at: url) {} }
    #expect(error.code == .resourceUnavailable)
    #expect(Self.ranges(server).count == before)
    await server.stop()
  }

  @Test func ftpServesMembersToo() async throws {
    let server = try await FTPServer.shared
    let file = server.documentRoot.appendingPathComponent("many-\(UInt32.random(in: 0 ... .max)).zip")
    try await ZipTool.makeMany(300, size: Self.size, at: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let session = ArchiveSession.make()
    let url = try #require(URL(archive: server.url("/\(file.lastPathComponent)"), member: ZipTool.name(250)))
    #expect(try await session.data(from: url).0 == ZipTool.content(250, size: Self.size))
    var names: [String] = []
    let top = try #require(URL(archive: server.url("/\(file.lastPathComponent)"), member: "files/000"))
    for try await entry in session.entries(at: top) { names.append(entry.name) }
    #expect(names.count == 300)
  }
}
