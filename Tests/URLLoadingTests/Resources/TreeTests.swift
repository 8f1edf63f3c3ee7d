import Foundation
import Glibc
import Testing
import URLLoadingTestServers

@testable import URLLoading

/// Trees of files: listing, copying and removing them.
@Suite(.timeLimit(.minutes(4))) struct TreeTests {
  private let folder: TemporaryDirectory
  private let session: URLSession

  init() throws {
    folder = try TemporaryDirectory("trees")
    let configuration = URLSessionConfiguration.ephemeral
    configuration.connectionProxyDictionary = [:]
    session = URLSession(configuration: configuration)
  }

  /// A directory with files, by their paths; a path with a slash at its end is a directory's.
  @discardableResult private func make(_ name: String, _ paths: [String]) throws -> URL {
    for path in paths {
      let url = folder.file("\(name)/\(path)")
      let directory = path.hasSuffix("/") ? url : url.deletingLastPathComponent()
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
      if !path.hasSuffix("/") { try Data(path.utf8).write(to: url) }
    }
    return folder.file(name)
  }

  /// Paths with their contents; nil for a directory.
  private func contents(_ name: String) throws -> [String: String?] {
    var all: [String: String?] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: folder.file(name).path) {
      all.updateValue(try? String(contentsOf: folder.file("\(name)/\(path)"), encoding: .utf8), forKey: path)
    }
    return all
  }

  private func paths(_ url: URL, _ pattern: String? = nil, recursively: Bool = true) async throws -> [String] {
    var paths: [String] = []
    for try await found in session.entries(at: url, recursively: recursively, matching: pattern) {
      paths.append(found.path)
    }
    return paths.sorted()
  }

  private func failure(_ body: () async throws -> Void) async -> URLError? {
    await #expect(throws: URLError.self) { try await body() }
  }

  private static let odd = ["a b", "a%20b", "ü#?;x", "-rf", ".hidden", "~", "back\\slash", "new\nline", "*", "z"]

  // MARK: Listing

  @Test func aTreeIsListed() async throws {
    let tree = try make("tree", ["a/b/c.swift", "a/d.txt", "e.swift", ".h/i.swift", "empty/"])
    symlink("a", folder.file("tree/link").path)
    #expect(
      try await paths(tree) == [
        ".h", ".h/i.swift", "a", "a/b", "a/b/c.swift", "a/d.txt", "e.swift", "empty", "link",
      ])
    #expect(try await paths(tree, recursively: false) == [".h", "a", "e.swift", "empty", "link"])
    #expect(try await paths(tree, "**/*.swift") == ["a/b/c.swift", "e.swift"])
    #expect(try await paths(tree, "a/*") == ["a/b", "a/d.txt"])
    #expect(try await paths(tree, "*", recursively: false) == ["a", "e.swift", "empty", "link"])
  }

  /// Directories by their paths; nil for one that may not be listed.
  private final class Listed: AsyncURLProtocol, @unchecked Sendable {
    static let directories: [String: [String]?] = ["/": ["a/", "b/", "x"], "/a/": nil, "/b/": ["y", "c/"]]

    override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "listed" }
    override class var capabilities: Capabilities { [super.capabilities, .listing] }
    override func list(_ request: URLRequest, to writer: Writer) async throws {
      guard let url = request.url else { return }
      // One that lists itself without end.
      let known: [String]? = Self.directories[url.path(percentEncoded: false)].flatMap { $0 }
      let names = url.host() == "deep" ? ["a/"] : known
      guard let names else {
        let isGone = url.host() == "offline"
        throw URLError(isGone ? .networkConnectionLost : .noPermissionsToReadFile, message: "No.", url: url)
      }
      try await writer.list(
        names.compactMap { name in
          URLDirectoryEntry(
            name: name.replacingOccurrences(of: "/", with: ""), in: url, kind: name.hasSuffix("/") ? .directory : .file)
        })
    }
  }

  private func listed(_ text: String, _ pattern: String? = nil) async -> (paths: [String], error: URLError?) {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [Listed.self]
    let session = URLSession(configuration: configuration)
    var paths: [String] = []
    do {
      let url = try #require(URL(string: text))
      for try await found in session.entries(at: url, recursively: true, matching: pattern) { paths.append(found.path) }
      return (paths, nil)
    } catch {
      return (paths, error as? URLError)
    }
  }

  @Test func whatCannotBeListedComesAtTheEnd() async throws {
    let one = await listed("listed:///")
    #expect(one.paths == ["a", "b", "x", "b/y", "b/c"])
    #expect(one.error?.code == .noPermissionsToReadFile && one.error?.localizedDescription.contains("2 parts") == true)
    // No connection is no matter of one directory.
    let lost = await listed("listed://offline/")
    #expect(lost.paths == ["a", "b", "x"] && lost.error?.code == .networkConnectionLost)
    // Below which nothing can match they are not listed.
    let some = await listed("listed:///", "b/y")
    #expect(some.paths == ["b/y"] && some.error == nil)
  }

  @Test func aTreeWithoutEndHasOne() async throws {
    let (paths, error) = await listed("listed://deep/")
    #expect(paths.count == 1001 && error?.code == .resourceUnavailable)
  }

  // MARK: Copying

  @Test func aTreeIsCopiedByteForByte() async throws {
    let tree = try make(
      "tree", Self.odd.flatMap { ["\($0).f", "d \($0)/\($0)", "d \($0)/e/\($0)"] } + ["empty/", "empty/er/"])
    try await session.copyItem(from: tree, to: folder.file("copy"), recursively: true)
    #expect(try contents("copy") == contents("tree"))
    // What is there is not replaced, and fails alone.
    try Data("new".utf8).write(to: folder.file("tree/added"))
    let error = await failure {
      try await session.copyItem(from: tree, to: folder.file("copy"), recursively: true)
    }
    #expect(error?.code == .cannotCreateFile && error?.localizedDescription.contains("30 parts") == true)
    #expect(try contents("copy") == contents("tree"))
    try await session.copyItem(from: tree, to: folder.file("copy"), overwriting: true, recursively: true)
  }

  @Test func linksAreLeftOutUnlessAsked() async throws {
    let tree = try make("tree", ["a/f", "g"])
    symlink("a", folder.file("tree/way").path)
    symlink("g", folder.file("tree/link").path)
    let error = await failure { try await session.copyItem(from: tree, to: folder.file("copy"), recursively: true) }
    #expect(error?.code == .cannotOpenFile && error?.localizedDescription.contains("2 parts") == true)
    #expect(try contents("copy") == ["a": nil, "a/f": "a/f", "g": "g"])
    try await session.copyItem(
      from: tree, to: folder.file("all"), recursively: true, followingLinks: true)
    #expect(try contents("all") == ["a": nil, "a/f": "a/f", "g": "g", "way": nil, "way/f": "a/f", "link": "g"])
    let top = await failure {
      try await session.copyItem(from: folder.file("tree/way"), to: folder.file("top"), recursively: true)
    }
    #expect(top?.code == .cannotOpenFile)
  }

  /// Links that lead around are not followed again.
  @Test func linksThatLeadAroundAreLeftOut() async throws {
    let tree = try make("tree", ["a/f", "g"])
    symlink(".", folder.file("tree/self").path)
    symlink("../..", folder.file("tree/a/up").path)
    symlink("../a", folder.file("tree/a/own").path)
    let error = await failure {
      try await session.copyItem(from: tree, to: folder.file("copy"), recursively: true, followingLinks: true)
    }
    #expect(error?.code == .cannotOpenFile)
    let copied = try contents("copy")
    #expect(copied["a/f"] == "a/f" && copied["g"] == "g" && copied["self"] == nil && copied["a/own"] == nil)
  }

  /// What is copied stays in the tree at the target.
  @Test func aLinkAtTheTargetIsNotFollowed() async throws {
    let tree = try make("tree", ["x/f", "g"])
    try make("elsewhere", ["kept"])
    try make("copy", ["h"])
    symlink("../elsewhere", folder.file("copy/x").path)
    let error = await failure { try await session.copyItem(from: tree, to: folder.file("copy"), recursively: true) }
    #expect(error?.code == .cannotCreateFile)
    #expect(try contents("elsewhere") == ["kept": "kept"])
  }

  @Test func aTreeIsNotCopiedIntoItself() async throws {
    let tree = try make("tree", ["a/f"])
    symlink("tree", folder.file("way").path)
    for target in ["tree", "tree/a/b", "way/b", "tree/../tree/c"] {
      let error = await failure { try await session.copyItem(from: tree, to: folder.file(target), recursively: true) }
      #expect(error?.code == .cannotCreateFile, "\(target)")
    }
    #expect(try contents("tree") == ["a": nil, "a/f": "a/f"])
    try await session.copyItem(from: tree, to: folder.file("tree2"), recursively: true)
  }

  @Test func aDirectoryAndAFileDoNotReplaceEachOther() async throws {
    let tree = try make("tree", ["x/f", "y"])
    try make("copy", ["x", "y/f"])
    let error = await failure {
      try await session.copyItem(from: tree, to: folder.file("copy"), overwriting: true, recursively: true)
    }
    #expect(error?.localizedDescription.contains("2 parts") == true)
    #expect(try contents("copy") == ["x": "x", "y": nil, "y/f": "y/f"])
  }

  // MARK: Removing

  @Test func aTreeIsRemoved() async throws {
    let tree = try make("tree", Self.odd.flatMap { ["\($0).f", "d \($0)/\($0)", "d \($0)/e/\($0)"] } + ["empty/er/"])
    try make("kept", ["f"])
    symlink("../kept", folder.file("tree/link").path)
    symlink("nothing", folder.file("tree/dangling").path)
    #expect(await failure { try await session.removeItem(at: tree) }?.code == .cannotRemoveFile)
    try await session.removeItem(at: tree, recursively: true)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["kept"])
    #expect(try contents("kept") == ["f": "f"])
    #expect(await failure { try await session.removeItem(at: tree, recursively: true) }?.code == .fileDoesNotExist)
  }

  @Test func aLinkIsRemovedAndNotWhatItLeadsTo() async throws {
    try make("kept", ["f"])
    symlink("kept", folder.file("link").path)
    try await session.removeItem(at: folder.file("link"), recursively: true)
    #expect(try contents("kept") == ["f": "f"])
    // A slash at its end would lead through it.
    symlink("kept", folder.file("link").path)
    try await session.removeItem(
      at: try #require(URL(string: folder.file("link").absoluteString + "/")), recursively: true)
    #expect(try contents("kept") == ["f": "f"] && !FileManager.default.fileExists(atPath: folder.file("link").path))
    let file = try folder.write("file", "x")
    try await session.removeItem(at: file, recursively: true)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["kept"])
  }

  @Test func rootsAndHomesAreRefused() async throws {
    let home = ProcessInfo.processInfo.environment["HOME"] ?? "/root"
    symlink(home, folder.file("home").path)
    let texts = [
      "file:///", "file:///.", "file://\(home)", "file://\(home)/", "file://\(folder.path)/../..", "ftp://127.0.0.1:9/",
      "http://127.0.0.1:9", "sftp://127.0.0.1:9/~/", "file://\(folder.path)/home/",
    ]
    for text in texts {
      let url = try #require(URL(string: text))
      let error = await failure { try await session.removeItem(at: url, recursively: true) }
      #expect(error?.code == .cannotRemoveFile && error?.failingURL == url, "\(text)")
    }
  }

  @Test func manyDirectoriesAndFiles() async throws {
    let tree = try make("tree", (0..<2000).map { "\($0 % 50)/\($0 % 7)/\($0)" })
    try await session.copyItem(from: tree, to: folder.file("copy"), recursively: true)
    #expect(try contents("copy") == contents("tree"))
    try await session.removeItem(at: tree, recursively: true)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["copy"])
  }

  @Test func cancellingStopsTheWork() async throws {
    let hasBegun = AsyncEvent()
    let server = try ScriptedServer { connection in
      _ = try connection.readRequestHead()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nbeginning")
      hasBegun.signal()
      _ = connection.waitForPeerClose(timeout: .seconds(60))
    }
    // A tree one of whose files never comes to its end.
    final class Stalling: AsyncURLProtocol, @unchecked Sendable {
      override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "stalling" }
      override class var capabilities: Capabilities { [super.capabilities, .listing, .resourceInfo] }
      override func describe(_ request: URLRequest, to writer: Writer) async throws {
        guard let url = request.url else { return }
        try await writer.respond(URLResponse(URLResourceInfo(url: url, kind: .directory)))
      }
      override func list(_ request: URLRequest, to writer: Writer) async throws {
        guard let url = request.url, let entry = URLDirectoryEntry(name: "f", in: url, kind: .file) else { return }
        try await writer.list([entry])
      }
      override func load(_ request: URLRequest, to writer: Writer) async throws {
        guard let port = request.url?.port, let url = URL(string: "http://127.0.0.1:\(port)/") else { return }
        guard let session = writer.session else { return }
        let (bytes, response) = try await session.bytes(from: url)
        try await writer.respond(mimeType: nil, length: response.expectedContentLength)
        for try await chunk in bytes.chunks { try await writer.write(chunk) }
      }
    }
    let configuration = URLSessionConfiguration.ephemeral
    configuration.connectionProxyDictionary = [:]
    configuration.protocolClasses = [Stalling.self]
    let (session, copy) = (URLSession(configuration: configuration), folder.file("copy"))
    let tree = try #require(URL(string: "stalling://host:\(server.port)/tree"))
    let work = Task { try await session.copyItem(from: tree, to: copy, recursively: true) }
    #expect(await hasBegun.wait())
    work.cancel()
    await #expect(throws: (any Error).self) { try await work.value }
    #expect(try contents("copy").isEmpty)
  }
}
