import Foundation
import Testing
import URLLoading
import URLLoadingTestServers
import WebDAVProtocol

/// What is removed, made, moved, copied and replaced on real servers, and what is not.
@Suite(.timeLimit(.minutes(4))) struct ChangeTests {
  private let session = TestSession.make()

  /// A folder of the test's own.
  private func folder(_ server: WebDAVServer, _ name: String) throws -> (url: URL, path: String) {
    let name = "\(name)-\(UInt32.random(in: 0 ... .max))"
    try server.makeFolder("public/\(name)")
    return (server.url("/public/\(name)/"), "public/\(name)")
  }

  private func code(_ body: () async throws -> Void) async -> URLError.Code? { await TestSession.error(of: body)?.code }

  @Test(arguments: WebDAVServer.Program.allCases) func removes(_ program: WebDAVServer.Program) async throws {
    let server = try await WebDAVServer.shared(program)
    let (url, path) = try folder(server, "removes")
    try server.write(Data("x".utf8), to: "\(path)/file")
    try server.makeFolder("\(path)/empty")
    try server.makeFolder("\(path)/full/deeper")
    try server.write(Data("x".utf8), to: "\(path)/full/deeper/x")
    try await session.removeItem(at: url.appending(component: "file"))
    #expect(!server.has("\(path)/file"))
    #expect(await code { try await session.removeItem(at: url.appending(component: "file")) } == .fileDoesNotExist)
    try await session.removeItem(at: url.appending(component: "empty"))
    #expect(!server.has("\(path)/empty"))
    for name in ["full", "full/"] {
      let error = await TestSession.error { try await session.removeItem(at: url.appending(path: name)) }
      #expect(error?.code == .cannotRemoveFile && error?.localizedDescription.contains("not empty") == true)
    }
    #expect(try server.contents("\(path)/full/deeper/x") == Data("x".utf8))
    #expect(
      await code { try await session.removeItem(at: URL(string: url.absoluteString + "full?x") ?? url) } == .badURL)
    try await session.send("DELETE", url.appending(component: "full"), ["Depth": "infinity"])
    #expect(!server.has("\(path)/full"))
  }

  @Test(arguments: WebDAVServer.Program.allCases) func makesDirectories(_ program: WebDAVServer.Program) async throws {
    let server = try await WebDAVServer.shared(program)
    let (url, path) = try folder(server, "makes")
    try await session.createDirectory(at: url.appending(component: "a"))
    #expect(server.has("\(path)/a"))
    #expect(await code { try await session.createDirectory(at: url.appending(component: "a")) } == .cannotCreateFile)
    #expect(await code { try await session.createDirectory(at: url.appending(path: "b/c")) } == .fileDoesNotExist)
    try await session.createDirectory(at: url.appending(path: "a/b 1/c/"), withIntermediateDirectories: true)
    #expect(server.has("\(path)/a/b 1/c"))
    try await session.store(Data("x".utf8), at: url.appending(component: "file"))
    #expect(await code { try await session.createDirectory(at: url.appending(component: "file")) } == .cannotCreateFile)
  }

  @Test(arguments: WebDAVServer.Program.allCases) func moves(_ program: WebDAVServer.Program) async throws {
    let server = try await WebDAVServer.shared(program)
    let (url, path) = try folder(server, "moves")
    for (name, text) in [("a", "a"), ("b", "b")] { try server.write(Data(text.utf8), to: "\(path)/\(name)") }
    for name in ["d", "full", "empty"] { try server.makeFolder("\(path)/\(name)") }
    for name in ["d/x", "full/y"] { try server.write(Data("z".utf8), to: "\(path)/\(name)") }
    func at(_ name: String) -> URL { url.appending(path: name) }

    try await session.moveItem(from: at("a"), to: at("c 1"))
    #expect(!server.has("\(path)/a"))
    #expect(try server.contents("\(path)/c 1") == Data("a".utf8))
    #expect(await code { try await session.moveItem(from: at("c 1"), to: at("b")) } == .cannotMoveFile)
    #expect(await code { try await session.moveItem(from: at("a"), to: at("e")) } == .fileDoesNotExist)
    if program != .nginx {
      #expect(await code { try await session.moveItem(from: at("b"), to: at("nowhere/b")) } == .fileDoesNotExist)
    }
    try await session.moveItem(from: at("c 1"), to: at("b"), overwriting: true)
    #expect(try server.contents("\(path)/b") == Data("a".utf8))

    // A file over a directory, a directory over a file, over one with something in it, into itself, and onto itself.
    for (from, to) in [
      ("b", "empty"), ("b", "full"), ("d", "b"), ("d", "full"), ("d", "d/x/y"), ("d", "d"), ("b", "b"),
    ] {
      #expect(
        await code { try await session.moveItem(from: at(from), to: at(to), overwriting: true) } == .cannotMoveFile,
        "\(from) to \(to)")
    }
    #expect(try server.contents("\(path)/full/y") == Data("z".utf8))
    #expect(try server.contents("\(path)/d/x") == Data("z".utf8))
    try await session.moveItem(from: at("d"), to: at("g/"))
    #expect(try server.contents("\(path)/g/x") == Data("z".utf8))
    try await session.moveItem(from: at("g"), to: at("empty"), overwriting: true)
    #expect(try server.contents("\(path)/empty/x") == Data("z".utf8))
    #expect(!server.has("\(path)/g"))
  }

  @Test(arguments: WebDAVServer.Program.allCases) func copies(_ program: WebDAVServer.Program) async throws {
    let server = try await WebDAVServer.shared(program)
    let (url, path) = try folder(server, "copies")
    try server.write(Data("a".utf8), to: "\(path)/a")
    try server.makeFolder("\(path)/d")
    try server.write(Data("z".utf8), to: "\(path)/d/x")
    func copy(_ from: String, _ to: String, _ fields: [String: String] = [:]) async throws {
      let target = url.appending(path: to).absoluteString
      try await session.send(
        "COPY", url.appending(path: from), fields.merging(["Destination": target]) { first, _ in first })
    }
    try await copy("a", "b")
    #expect(try server.contents("\(path)/a") == server.contents("\(path)/b"))
    #expect(await code { try await copy("a", "b", ["Overwrite": "F"]) } == .cannotCreateFile)
    #expect(await code { try await copy("a", "b", ["If-None-Match": "*"]) } == .cannotCreateFile)
    // nginx makes directories on the way to a target.
    if program != .nginx { #expect(await code { try await copy("a", "nowhere/b") } == .fileDoesNotExist) }
    #expect(await code { try await copy("a", "d") } == .cannotCreateFile)
    #expect(await code { try await copy("d", "d/e") } == .cannotCreateFile)
    #expect(await code { try await copy("a", "b", ["Overwrite": "X"]) } == .unsupportedURL)
    try await copy("d", "e")
    #expect(try server.contents("\(path)/e/x") == Data("z".utf8))
    try await copy("d", "f", ["Depth": "0"])
    #expect(server.has("\(path)/f"))
    // The others copy all the same.
    if program == .apache { #expect(!server.has("\(path)/f/x")) }
  }

  @Test func aDestinationIsOfTheSameServer() async throws {
    let server = try await WebDAVServer.shared
    let url = server.url("/public/somewhere")
    for (target, expected) in [
      ("dav://127.0.0.1:1/x", URLError.Code.unsupportedURL), ("dav://other/x", .unsupportedURL),
      ("davs://127.0.0.1/x", .badURL),
      ("http://127.0.0.1/x", .badURL), ("/x", .badURL), ("dav://you@127.0.0.1:\(server.port)/x", .unsupportedURL),
      ("dav://127.0.0.1:\(server.port)/x?y", .badURL), ("dav://127.0.0.1:\(server.port)/../x", .badURL),
    ] {
      #expect(await code { try await session.send("MOVE", url, ["Destination": target]) } == expected, "\(target)")
    }
    #expect(await code { try await session.send("MOVE", url) } == .badURL)
  }

  @Test(arguments: WebDAVServer.Program.allCases) func stores(_ program: WebDAVServer.Program) async throws {
    let server = try await WebDAVServer.shared(program)
    let (url, path) = try folder(server, "stores")
    try server.makeFolder("\(path)/d")
    let file = url.appending(component: "file")
    try await session.store(Data("1".utf8), at: file, ["If-None-Match": "*"])
    #expect(
      await code { try await session.store(Data("2".utf8), at: file, ["If-None-Match": "*"]) } == .cannotCreateFile)
    #expect(try server.contents("\(path)/file") == Data("1".utf8))
    let tag = try #require(try await session.data(from: file).1.validators.entityTag)
    #expect(
      await code { try await session.store(Data("3".utf8), at: file, ["If-Match": "\"other\""]) } == .cannotCreateFile)
    #expect(try server.contents("\(path)/file") == Data("1".utf8))
    if !tag.hasPrefix("W/") {
      try await session.store(Data("44".utf8), at: file, ["If-Match": tag])
      #expect(try server.contents("\(path)/file") == Data("44".utf8))
    }
    #expect(
      await code { try await session.store(Data("5".utf8), at: url.appending(component: "none"), ["If-Match": "*"]) }
        == .cannotCreateFile)
    #expect(!server.has("\(path)/none"))
    if program != .nginx {
      #expect(
        await code { try await session.store(Data("6".utf8), at: url.appending(path: "nowhere/x")) }
          == .fileDoesNotExist)
    }
    for name in ["d", "d/"] {
      #expect(await code { try await session.store(Data("7".utf8), at: url.appending(path: name)) } == .fileIsDirectory)
    }
  }

  /// Without an answer about what is there nothing is removed or replaced that was not named.
  @Test func aServerWithoutQuestionsRemovesNothingByItself() async throws {
    let server = try await WebDAVServer.shared
    try server.makeFolder("plain/d")
    for name in ["x", "d/x", "y"] { try server.write(Data(name.utf8), to: "plain/\(name)") }
    func at(_ name: String) -> URL { server.url("/plain/\(name)") }
    #expect(await code { _ = try await session.list(at("d/")) } == .unsupportedURL)
    #expect(await code { try await session.removeItem(at: at("x")) } == .unsupportedURL)
    #expect(await code { try await session.moveItem(from: at("x"), to: at("y"), overwriting: true) } == .unsupportedURL)
    #expect(server.has("plain/x"))
    try await session.moveItem(from: at("x"), to: at("z"))
    #expect(try server.contents("plain/z") == Data("x".utf8))
    try await session.send("DELETE", at("z"), ["Depth": "infinity"])
    #expect(!server.has("plain/z"))
    #expect(try await session.data(from: at("y")).0 == Data("y".utf8))
  }
}
