import Foundation
import Testing
import URLLoadingTestServers

/// `urlload stat`, `find`, `cp`, `mv`, `rm` and `mkdir`.
@Suite struct ResourceCommandTests {
  private let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory("resource commands")
  }

  private func path(_ name: String) -> String { folder.file(name).path }

  private func run(_ arguments: String..., status: Int32 = 0) async throws -> (text: String, error: String) {
    let outcome = try await Urlload.run(arguments)
    #expect(outcome.status == .exited(status), "\(arguments): \(outcome.error)")
    return (outcome.text, outcome.error)
  }

  private func names(_ name: String = "") throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: path(name)).sorted()
  }

  @Test func statTells() async throws {
    try folder.write("page.html", "12345")
    var times = [timespec(tv_sec: 0, tv_nsec: 0), timespec(tv_sec: 1_700_000_000, tv_nsec: 0)]
    utimensat(AT_FDCWD, path("page.html"), &times, 0)
    chmod(path("page.html"), 0o640)
    let (text, _) = try await run("stat", path("page.html"))
    let lines = text.split(separator: "\n").map(String.init)
    #expect(
      Array(lines.prefix(6)) == [
        "url:          \(folder.file("page.html").absoluteString)", "kind:         file", "size:         5",
        "permissions:  0640", "modified:     2023-11-14T22:13:20Z", "type:         text/html",
      ])
    #expect(lines.count == 7 && lines[6].hasPrefix("tag:          \""))
    symlink("nothing", path("link"))
    let json = try await run("stat", "--json", path("link"), folder.url.absoluteString).text.split(separator: "\n")
    let objects = try json.map { try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
    #expect(objects.map { $0?["kind"] as? String } == ["link", "directory"])
    #expect(objects[0]?["size"] == nil && objects[0]?["permissions"] as? String == "0777")
    let error = try await run("stat", path("missing"), status: 9).error
    #expect(error.contains("missing") && error.split(separator: "\n").count == 1, "\(error)")
  }

  @Test func whatIsCopiedAndMovedIsShown() async throws {
    try folder.write("a/b", Data(count: 3_000_000))
    try folder.write("a/c", Data(count: 2_000_000))
    func shown(_ arguments: String...) async throws -> String {
      let outcome = try await Urlload.atTerminal(arguments, in: folder)
      #expect(outcome.status == .exited(0), "\(outcome.text)")
      return outcome.text
    }
    let file = try await shown("cp", path("a/b"), path("copy"))
    #expect(file.contains("copied") && file.contains("3.0 MB"), "\(file)")
    let tree = try await shown("cp", "-r", path("a"), path("tree"))
    #expect(tree.contains("5.0 MB"), "\(tree)")
    #expect(try await shown("cp", "--no-progress-meter", path("a/b"), path("quiet")).isEmpty)
    #expect(try await shown("cp", "-s", path("a/b"), path("silent")).isEmpty)
    #expect(try await shown("mv", path("quiet"), path("moved")).contains("moved"))
  }

  @Test func findMatches() async throws {
    for name in ["a/b/c.txt", "a/d.txt", "e.txt", ".h/f.txt"] { try folder.write(name, "x") }
    let all = try await run("find", folder.path).text.split(separator: "\n").sorted()
    #expect(all == [".h", ".h/f.txt", "a", "a/b", "a/b/c.txt", "a/d.txt", "e.txt"])
    #expect(
      try await run("find", folder.path, "**/*.txt").text.split(separator: "\n").sorted() == [
        "a/b/c.txt", "a/d.txt", "e.txt",
      ])
    #expect(try await run("find", folder.path, "*/d.*").text == "a/d.txt\n")
  }

  @Test func cpCopies() async throws {
    try folder.write("a b", "1")
    try folder.write("tree/x/y", "2")
    try FileManager.default.createDirectory(atPath: path("there"), withIntermediateDirectories: true)
    _ = try await run("cp", path("a b"), path("copy"))
    _ = try await run("cp", path("a b"), folder.file("copy").absoluteString, path("there"))
    #expect(try names("there") == ["a b", "copy"])
    let refused = try await run("cp", path("tree"), path("there"), status: 9).error
    #expect(refused.contains("directory"), "\(refused)")
    _ = try await run("cp", "-r", path("tree"), path("there"))
    _ = try await run("cp", "-r", path("tree"), path("new"))
    #expect(try names("there") == ["a b", "copy", "tree", "tree/x", "tree/x/y"] && names("new") == ["x", "x/y"])
    _ = try await run("cp", "--no-clobber", path("a b"), path("copy"), status: 11)
    _ = try await run("cp", path("a b"), path("copy"))
    let usage = try await run("cp", path("a b"), path("copy"), path("missing"), status: 2).error
    #expect(usage.contains("directory"))
    _ = try await run("cp", path("a b"), status: 2)
  }

  @Test func cpLeavesLinksOutUnlessAsked() async throws {
    try folder.write("tree/f", "1")
    symlink("f", path("tree/link"))
    let error = try await run("cp", "-r", path("tree"), path("copy"), status: 11).error
    #expect(error.contains("link"), "\(error)")
    #expect(try names("copy") == ["f"])
    _ = try await run("cp", "-rL", path("tree"), path("whole"))
    #expect(try names("whole") == ["f", "link"])
  }

  @Test func mvMoves() async throws {
    try folder.write("a", "1")
    try folder.write("b", "2")
    try FileManager.default.createDirectory(atPath: path("there"), withIntermediateDirectories: true)
    _ = try await run("mv", "--no-clobber", path("a"), path("b"), status: 11)
    _ = try await run("mv", path("a"), path("b"))
    _ = try await run("mv", path("b"), path("there"))
    for name in ["x/same", "y/same"] { try folder.write(name, name) }
    _ = try await run("mv", path("x/same"), path("y/same"), path("there"), status: 2)
    for name in ["x", "y"] { try FileManager.default.removeItem(atPath: path(name)) }
    #expect(try names() == ["there", "there/b"] && String(contentsOfFile: path("there/b"), encoding: .utf8) == "1")
  }

  @Test func rmRemoves() async throws {
    for name in ["a", "-b", "tree/x/y"] { try folder.write(name, "1") }
    _ = try await run("rm", path("a"), path("-b"))
    _ = try await run("rm", path("tree"), status: 11)
    _ = try await run("rm", path("a"), status: 9)
    _ = try await run("rm", "-f", path("a"))
    _ = try await run("rm", "-rf", path("tree"), path("a"))
    #expect(try names().isEmpty)
    let error = try await run("rm", "-r", "/", status: 11).error
    #expect(error.contains("root"), "\(error)")
  }

  @Test func mkdirMakes() async throws {
    _ = try await run("mkdir", path("a"), path("b c"))
    _ = try await run("mkdir", path("a"), status: 11)
    _ = try await run("mkdir", path("x/y"), status: 9)
    _ = try await run("mkdir", "-p", path("x/y"), path("a"))
    #expect(try names() == ["a", "b c", "x", "x/y"])
  }

  /// A failure does not keep the others from being done.
  @Test func whatFollowsAFailureIsDone() async throws {
    try folder.write("a", "1")
    let error = try await run("rm", path("missing"), path("a"), status: 9).error
    #expect(error.split(separator: "\n").count == 1)
    #expect(try names().isEmpty)
  }

  @Test func serversAreAsked() async throws {
    let stored = Watched(Data())
    let server = try ScriptedServer.http { request in
      if request.method == "PUT" { stored.update { $0 = request.body } }
      return switch request.method {
      case "HEAD": HTTPResponse(request.path == "/new" ? 404 : 200, fields: ["Content-Type": "text/css"])
      case "GET": HTTPResponse(text: "contents")
      default: HTTPResponse(201)
      }
    }
    _ = try await run("cp", server.url("/a").absoluteString, path("copy"))
    #expect(try String(contentsOfFile: path("copy"), encoding: .utf8) == "contents")
    _ = try await run("cp", "-H", "X-A: b", path("copy"), server.url("/new").absoluteString)
    #expect(server.requests.map(\.method) == ["GET", "HEAD", "PUT"])
    #expect(server.requests.last?.fields["X-A"] == "b" && stored.value == Data("contents".utf8))
  }
}
