import Foundation
import Testing
import URLLoadingTestServers

/// `dav` URLs, with nginx.
@Suite(.timeLimit(.minutes(3))) struct WebDAVTests {
  private let server: WebDAVServer
  private let folder: TemporaryDirectory
  /// The test's own, on the server.
  private let name = "urlload-\(UInt64.random(in: 0 ... .max))"

  init() async throws {
    server = try await WebDAVServer.shared
    folder = try TemporaryDirectory("urlload")
    try server.makeFolder("public/\(name)")
    try server.makeFolder("private/\(name)")
  }

  private func run(_ arguments: [String]) async throws -> Command.Outcome {
    try await Urlload.run(arguments, in: folder)
  }

  private func url(_ path: String, below root: String = "public") -> String {
    server.url("/\(root)/\(name)/\(path)").absoluteString
  }

  @Test func storesListsLoadsAndRemoves() async throws {
    let contents = TestFiles.pattern(count: 3_000_000)
    try folder.write("a b.bin", contents)
    let stored = try await run(["-T", "a b.bin", "-u", "user:password", url("", below: "private")])
    #expect(stored.status == .exited(0), "\(stored.error)")
    #expect(try server.contents("private/\(name)/a b.bin") == contents)
    let login = ["-u", "user:password"]
    #expect(try await run(["ls"] + login + [url("", below: "private")]).text == "a b.bin\n")
    let file = url("a%20b.bin", below: "private")
    #expect(try await run(login + ["-r", "1000-1999", file]).output == contents[1000..<2000])
    #expect(try await run(login + ["-O", file]).status == .exited(0))
    let moved = try await run(login + ["-X", "MOVE", "-H", "Destination: \(url("c", below: "private"))", file])
    #expect(moved.status == .exited(0), "\(moved.error)")
    #expect(try await run(login + ["-X", "DELETE", url("c", below: "private")]).status == .exited(0))
    #expect(!server.has("private/\(name)/c"))
  }

  @Test func failuresAreOneLine() async throws {
    try server.makeFolder("public/\(name)/full")
    try server.write(Data("x".utf8), to: "public/\(name)/full/x")
    for (arguments, status, words) in [
      (["-X", "DELETE", url("full")], 10, "not empty"), ([url("nothing")], 9, "no such file"),
      ([url("full")], 9, "directory"),
      (["ls", url("full/x")], 9, "not a directory"), (["ls", server.url("/plain/").absoluteString], 10, "does not"),
      ([url("x", below: "private")], 7, "refused"), (["-X", "PROPFIND", url("")], 2, "PROPFIND"),
    ] {
      let outcome = try await run(arguments)
      #expect(outcome.status == .exited(Int32(status)), "\(arguments): \(outcome.error)")
      #expect(outcome.error.contains(words) && outcome.error.split(separator: "\n").count <= 2, "\(outcome.error)")
    }
  }

  /// A listing of 100,000 names takes little more memory than one of ten.
  @Test(.enabled(if: !Sanitizing.isOn)) func aLongListingTakesLittleMemory() async throws {
    for (directory, count) in [("few", 10), ("many", 100_000)] {
      let path = try server.makeFolder("public/\(name)/\(directory)").path
      for number in 0..<count { close(open("\(path)/\(String(repeating: "x", count: 100))\(number)", O_CREAT, 0o600)) }
    }
    let (few, fewLines) = try await peak(listing: url("few/"))
    let (many, manyLines) = try await peak(listing: url("many/"))
    #expect(fewLines == 10 && manyLines == 100_000)
    #expect(many - few < 10_000_000, "\(few) bytes for a short one, \(many) for a long one")
  }

  /// The largest resident size of the command, and how many lines it wrote.
  private func peak(listing url: String) async throws -> (bytes: Int, lines: Int) {
    let code = """
      import resource, subprocess, sys
      child = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE)
      lines = sum(1 for _ in child.stdout)
      print(child.wait(), lines, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)
      """
    let outcome = try await Command.run(
      "/usr/bin/python3", ["-c", code, BuiltProgram.path("urlload"), "ls", url], environment: ["HOME": folder.path])
    let numbers = outcome.text.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
    guard numbers.count == 3, numbers[0] == 0 else { throw TestServerError("\(outcome.text) \(outcome.error)") }
    return (numbers[2], numbers[1])
  }
}
