import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

/// `resourceInfo(at:)`: what files, links and directories are, and what servers tell of theirs.
@Suite(.timeLimit(.minutes(4))) struct ResourceInfoTests {
  private let folder: TemporaryDirectory
  private let session: URLSession

  init() throws {
    folder = try TemporaryDirectory("resource info")
    let configuration = URLSessionConfiguration.ephemeral
    configuration.connectionProxyDictionary = [:]
    session = URLSession(configuration: configuration)
  }

  private func code(_ url: URL) async -> URLError.Code? {
    let error = await #expect(throws: URLError.self) { try await session.resourceInfo(at: url) }
    return error?.code
  }

  // MARK: Files

  @Test func aFileHasLengthTimesPermissionsAndType() async throws {
    let file = try folder.write("a page.html", "contents")
    let date = Date(timeIntervalSince1970: 1_000_000_000.25)
    try FileManager.default.setAttributes([.modificationDate: date, .posixPermissions: 0o640], ofItemAtPath: file.path)
    let info = try await session.resourceInfo(at: file)
    #expect(info.url == file && info.kind == .file && info.size == 8 && info.permissions == 0o640)
    #expect(info.modificationDate == date && info.mediaType == "text/html")
    // The version is the same that a load tells of.
    #expect(try await session.data(from: file).1.validators == info.validators && !info.validators.isEmpty)
  }

  @Test func linksAndDirectoriesAreToldOfThemselves() async throws {
    try folder.write("file", "contents")
    try FileManager.default.createDirectory(at: folder.file("directory"), withIntermediateDirectories: true)
    symlink("file", folder.file("link").path)
    symlink("nothing", folder.file("dangling").path)
    symlink("directory", folder.file("way").path)
    mkfifo(folder.file("pipe").path, 0o600)
    var kinds: [String: URLDirectoryEntry.Kind] = [:]
    for name in ["file", "directory", "link", "dangling", "way", "pipe"] {
      let info = try await session.resourceInfo(at: folder.file(name))
      kinds[name] = info.kind
      #expect((info.size == nil) == (name != "file"))
    }
    #expect(
      kinds == [
        "file": .file, "directory": .directory, "link": .symbolicLink, "dangling": .symbolicLink, "way": .symbolicLink,
        "pipe": .other,
      ])
    // As the system has it: a slash at the end leads through the link.
    let way = try #require(URL(string: folder.file("way").absoluteString + "/"))
    #expect(try await session.resourceInfo(at: way).kind == .directory)
  }

  @Test func whatIsNotThereIsAnError() async throws {
    try folder.write("file", "contents")
    #expect(await code(folder.file("nothing")) == .fileDoesNotExist)
    #expect(await code(folder.file("file/below")) == .fileDoesNotExist)
    #expect(await code(try #require(URL(string: folder.file("file").absoluteString + "/"))) == .fileDoesNotExist)
    #expect(await code(try #require(URL(string: "nobody-loads-this:x"))) == .unsupportedURL)
  }

  /// Data tasks with `HEAD` are as they were: what they load is a file.
  @Test func aHeadOfADirectoryIsStillAnError() async throws {
    var request = URLRequest(url: folder.url)
    request.httpMethod = "HEAD"
    let error = await #expect(throws: URLError.self) { try await session.data(for: request) }
    #expect(error?.code == .fileIsDirectory)
  }

  @Test func aResponseKeepsItInAnArchive() throws {
    let info = URLResourceInfo(
      url: folder.file("a"), kind: .directory, modificationDate: Date(timeIntervalSince1970: 5), permissions: 0o100_755)
    #expect(info.permissions == 0o755)
    let archive = try NSKeyedArchiver.archivedData(withRootObject: URLResponse(info), requiringSecureCoding: true)
    let response = try NSKeyedUnarchiver.unarchivedObject(ofClass: URLResponse.self, from: archive)
    #expect(response?.resourceInfo == info)
  }

  // MARK: Other schemes

  @Test func dataHasALengthAndAType() async throws {
    let info = try await session.resourceInfo(at: try #require(URL(string: "data:text/css,abc")))
    #expect(info.kind == .file && info.size == 3 && info.mediaType == "text/css")
  }

  @Test func aServerTellsByItsHead() async throws {
    let server = try ScriptedServer.http { request in
      request.method == "HEAD"
        ? HTTPResponse(
          fields: [
            "Content-Type": "text/css; charset=utf-8", "ETag": "\"x\"",
            "Last-Modified": "Sun, 09 Sep 2001 01:46:40 GMT",
          ], text: "12345") : HTTPResponse(500)
    }
    let info = try await session.resourceInfo(at: server.url("/a"))
    #expect(info.url == server.url("/a") && info.kind == .file && info.size == 5 && info.mediaType == "text/css")
    #expect(info.modificationDate == Date(timeIntervalSince1970: 1_000_000_000) && info.validators.entityTag == "\"x\"")
    #expect(info.permissions == nil)
    #expect(server.requests.map(\.method) == ["HEAD"])
    #expect(server.requests.first?.fields["Accept-Encoding"] == "identity")
  }

  @Test(arguments: [
    (404, URLError.Code.fileDoesNotExist), (410, .fileDoesNotExist), (403, .noPermissionsToReadFile),
    (405, .unsupportedURL), (501, .unsupportedURL), (401, .userAuthenticationRequired), (500, .badServerResponse),
  ])
  func aServersRefusalIsAnError(_ status: Int, _ expected: URLError.Code) async throws {
    let server = try ScriptedServer.http { _ in HTTPResponse(status, text: "x") }
    #expect(await code(server.url("/a")) == expected)
  }

  /// One that answers what others ask, and declares nothing of this.
  @Test func aClassThatDeclaresNothingIsAskedByHead() async throws {
    final class Plain: AsyncURLProtocol, @unchecked Sendable {
      override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "plain" }
      override func load(_ request: URLRequest, to writer: Writer) async throws {
        if request.url?.path == "/directory" {
          throw URLError(.fileIsDirectory, message: "It is a directory.", url: request.url)
        }
        try await writer.respond(mimeType: "text/plain", length: request.httpMethod == "HEAD" ? 7 : 1)
      }
    }
    final class Telling: AsyncURLProtocol, @unchecked Sendable {
      override class var capabilities: Capabilities { [super.capabilities, .resourceInfo] }
      override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "telling" }
      override func describe(_ request: URLRequest, to writer: Writer) async throws {
        guard let url = request.url else { return }
        try await writer.respond(URLResponse(URLResourceInfo(url: url, kind: .symbolicLink, permissions: 0o777)))
      }
    }
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [Plain.self, Telling.self]
    let session = URLSession(configuration: configuration)
    let info = try await session.resourceInfo(at: try #require(URL(string: "plain:///file")))
    #expect(info.kind == .file && info.size == 7)
    let directory = try await session.resourceInfo(at: try #require(URL(string: "plain:///directory")))
    #expect(directory.kind == .directory && directory.size == nil)
    let told = try await session.resourceInfo(at: try #require(URL(string: "telling:///x")))
    #expect(told.kind == .symbolicLink && told.permissions == 0o777)
  }
}
