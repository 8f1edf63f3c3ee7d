import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

/// `removeItem`, `createDirectory` and `moveItem` of a session.
@Suite(.timeLimit(.minutes(4))) struct ResourceFunctionTests {
  private let folder: TemporaryDirectory
  private let session: URLSession

  init() throws {
    folder = try TemporaryDirectory("resources")
    let configuration = URLSessionConfiguration.ephemeral
    configuration.connectionProxyDictionary = [:]
    session = URLSession(configuration: configuration)
  }

  private func names(in name: String = "") throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.file(name).path).sorted()
  }

  private func code(_ body: () async throws -> Void) async -> URLError.Code? {
    let error = await #expect(throws: URLError.self) { try await body() }
    return error?.code
  }

  // MARK: Files

  @Test func filesAreRemovedAndMoved() async throws {
    try folder.write("a file", "a")
    try await session.moveItem(from: folder.file("a file"), to: folder.file("another"))
    try folder.write("old", "old")
    #expect(
      await code { try await session.moveItem(from: folder.file("another"), to: folder.file("old")) } == .cannotMoveFile
    )
    try await session.moveItem(from: folder.file("another"), to: folder.file("old"), overwriting: true)
    #expect(try names() == ["old"] && String(contentsOf: folder.file("old"), encoding: .utf8) == "a")
    try await session.removeItem(at: folder.file("old"))
    #expect(await code { try await session.removeItem(at: folder.file("old")) } == .fileDoesNotExist)
    #expect(try names().isEmpty)
  }

  @Test func directoriesAreMadeWithThoseOnTheWay() async throws {
    #expect(await code { try await session.createDirectory(at: folder.file("a/b/c")) } == .fileDoesNotExist)
    try await session.createDirectory(at: folder.file("a/b/c"), withIntermediateDirectories: true)
    // One that is there is no failure where intermediates are wanted.
    try await session.createDirectory(at: folder.file("a/b/c"), withIntermediateDirectories: true)
    try await session.createDirectory(at: folder.file("a/b"), withIntermediateDirectories: true)
    #expect(await code { try await session.createDirectory(at: folder.file("a/b")) } == .cannotCreateFile)
    try folder.write("file", "a")
    for path in ["file", "file/below"] {
      let code = await code {
        try await session.createDirectory(at: folder.file(path), withIntermediateDirectories: true)
      }
      #expect(code == .cannotCreateFile, "\(path)")
    }
    #expect(try names() == ["a", "file"] && names(in: "a/b") == ["c"])
  }

  @Test func manyAtOnceMakeOnePath() async throws {
    let (session, url) = (session, folder.file("a/b/c/d/e"))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<64 {
        group.addTask { try await session.createDirectory(at: url, withIntermediateDirectories: true) }
      }
      try await group.waitForAll()
    }
    #expect(try names(in: "a/b/c/d") == ["e"])
  }

  @Test func whatAClassDoesNotCarryOutIsSaid() async throws {
    let url = try #require(URL(string: "data:,x"))
    #expect(await code { try await session.removeItem(at: url) } == .unsupportedURL)
    #expect(await code { try await session.createDirectory(at: url) } == .unsupportedURL)
  }

  // MARK: Servers

  @Test func aServerGetsTheVerbs() async throws {
    let server = try ScriptedServer.http { _ in HTTPResponse(204) }
    try await session.removeItem(at: server.url("/a"))
    try await session.createDirectory(at: server.url("/b/"))
    try await session.moveItem(from: server.url("/c"), to: server.url("/d%20e"))
    try await session.moveItem(from: server.url("/c"), to: server.url("/d"), overwriting: true)
    #expect(server.requests.map { "\($0.method) \($0.path)" } == ["DELETE /a", "MKCOL /b/", "MOVE /c", "MOVE /c"])
    // A directory at the target would be removed for it.
    #expect(server.requests.map { $0.fields["Overwrite"] } == [nil, nil, "F", "F"])
    #expect(server.requests[2].fields["Destination"] == server.url("/d%20e").absoluteString)
  }

  @Test(arguments: [
    (403, URLError.Code.cannotRemoveFile), (404, .fileDoesNotExist), (410, .fileDoesNotExist), (405, .unsupportedURL),
    (501, .unsupportedURL), (207, .cannotRemoveFile), (202, .resourceUnavailable), (423, .cannotRemoveFile),
    (409, .cannotRemoveFile), (500, .badServerResponse), (400, .badServerResponse), (412, .cannotRemoveFile),
    (401, .userAuthenticationRequired),
  ])
  func whatAServerRefusesIsAnError(_ status: Int, _ expected: URLError.Code) async throws {
    let server = try ScriptedServer.http { _ in HTTPResponse(status, text: "x") }
    #expect(await code { try await session.removeItem(at: server.url("/a")) } == expected)
  }

  /// A page that a redirect leads to by GET says nothing of the verb.
  @Test(arguments: [(303, false), (302, true), (307, true)])
  func aRedirectKeepsTheVerbOrFails(_ status: Int, _ isDone: Bool) async throws {
    let server = try ScriptedServer.http { request in
      request.path == "/a"
        ? HTTPResponse(status, fields: ["Location": "/b"]) : HTTPResponse(200, text: "page")
    }
    if isDone {
      try await session.removeItem(at: server.url("/a"))
    } else {
      #expect(await code { try await session.removeItem(at: server.url("/a")) } == .badServerResponse)
    }
    #expect(server.requests.map(\.method) == ["DELETE", isDone ? "DELETE" : "GET"])
  }

  @Test func parentsAreMadeOnAServer() async throws {
    let made = Watched<Set<String>>(["/"])
    let server = try ScriptedServer.http { request in
      let path = request.path.hasSuffix("/") ? String(request.path.dropLast()) : request.path
      let parent = path.split(separator: "/").dropLast().joined(separator: "/")
      guard made.value.contains("/\(parent)") else { return HTTPResponse(409) }
      made.update { $0.insert(path) }
      return HTTPResponse(201)
    }
    try await session.createDirectory(at: server.url("/a/b/c"), withIntermediateDirectories: true)
    #expect(made.value == ["/", "/a", "/a/b", "/a/b/c"])
    #expect(server.requests.count == 5)
  }

  /// One that says for ever that a parent is missing gets no more requests than there are directories on the way.
  @Test func aServerThatLiesAboutParentsIsAskedOnceForEach() async throws {
    let server = try ScriptedServer.http { _ in HTTPResponse(409) }
    let code = await code {
      try await session.createDirectory(at: server.url("/a/b/c/d"), withIntermediateDirectories: true)
    }
    #expect(code == .fileDoesNotExist && server.requests.count == 4)
  }

  @Test func cancellingEndsTheRequest() async throws {
    let hasCome = AsyncEvent()
    let mayAnswer = AsyncEvent()
    let server = try ScriptedServer.http { _ in
      hasCome.signal()
      _ = mayAnswer.waitBlocking()
      return HTTPResponse(204)
    }
    let (session, url) = (session, server.url("/a"))
    let removal = Task { try await session.removeItem(at: url) }
    #expect(await hasCome.wait())
    removal.cancel()
    let error = await #expect(throws: URLError.self) { try await removal.value }
    #expect(error?.code == .cancelled)
    mayAnswer.signal()
  }
}
