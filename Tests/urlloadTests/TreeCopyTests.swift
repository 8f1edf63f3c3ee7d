import Foundation
import Testing
import URLLoadingTestServers

/// `urlload cp -r` of a tree with odd names between each two schemes that have directories. `TREE_FILES` says how many files it has: 2,000 in
/// `make tree-test`.
@Suite(.timeLimit(.minutes(30)), .serialized) struct TreeCopyTests {
  /// A place that has trees: a URL below which it is reached, and the directory of this machine that has them.
  private struct Place {
    let name: String
    let url: String
    let directory: URL
  }

  private let folder: TemporaryDirectory
  private let places: [Place]

  init() async throws {
    folder = try TemporaryDirectory("tree-copies")
    let (ssh, ftp, dav) = (
      try await SSHServer.shared, try await FTPServer.shared, try await WebDAVServer.shared
    )
    try folder.write(".ssh/known_hosts", ssh.knownHosts)
    let key = try await SSHServer.clientKeys.ed25519.file.path
    try folder.write(".ssh/config", "Host *\n  IdentityFile \"\(key)\"\n  IdentitiesOnly yes\n")
    chmod(folder.file(".ssh/config").path, 0o600)
    let name = "tree-copies-\(UInt64.random(in: 0 ... .max))"
    let local = folder.file("local")
    places = [
      Place(name: "file", url: local.absoluteString + "/", directory: local),
      Place(
        name: "sftp", url: ssh.url("/~/\(name)/").absoluteString, directory: ssh.home.appending(path: name)),
      Place(
        name: "ftp", url: ftp.url("/\(name)/", user: FTPServer.user, password: FTPServer.password).absoluteString,
        directory: ftp.documentRoot.appending(path: name)),
      Place(
        name: "dav", url: dav.url("/public/\(name)/").absoluteString,
        directory: dav.documentRoot.appending(path: "public/\(name)")),
    ]
    for place in places {
      try FileManager.default.createDirectory(at: place.directory, withIntermediateDirectories: true)
      chmod(place.directory.path, 0o777)
    }
  }

  private func cleanUp() {
    for place in places where place.name != "file" { try? FileManager.default.removeItem(at: place.directory) }
  }

  private var count: Int { ProcessInfo.processInfo.environment["TREE_FILES"].flatMap { Int($0) } ?? 120 }

  private static let odd = [
    "a b", "a%20b", "ü#?;x=1", "-rf", ".hidden", "~", "back\\slash", "*", "semi;type=a", "100%25", "a&b+c",
    "'\"quotes\"",
    "日本語", "é", "=", "@:", "z",
  ]

  /// Makes a tree, of which some files are empty and one is large.
  private func makeTree(in directory: URL) throws {
    for index in 0..<count {
      let odd = Self.odd[index % Self.odd.count]
      let parent = directory.appending(path: "d\(index % 7)").appending(component: "\(odd) \(index % 3)")
      try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
      let bytes = TestFiles.pattern(count: index == 5 ? 3_000_001 : index % 10 * 700, seed: UInt64(index))
      try bytes.write(to: parent.appending(component: "\(index) \(odd)"))
    }
    try FileManager.default.createDirectory(
      at: directory.appending(path: "empty/er"), withIntermediateDirectories: true)
  }

  /// Paths with the bytes of files; nil for directories.
  private func contents(_ directory: URL) throws -> [String: Data?] {
    var all: [String: Data?] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: directory.path) {
      var isDirectory: ObjCBool = false
      let url = directory.appending(path: path)
      guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory) else { continue }
      all.updateValue(isDirectory.boolValue ? nil : try Data(contentsOf: url), forKey: path)
    }
    return all
  }

  /// The paths that are missing, too much or different.
  private func difference(_ directory: URL, _ expected: [String: Data?]) throws -> [String] {
    let found = try contents(directory)
    return Set(found.keys).union(expected.keys).filter { found[$0] != expected[$0] }.sorted()
  }

  private var environment: [String: String?] { ["CFFIXED_USER_HOME": folder.path, "SSH_AUTH_SOCK": nil] }

  private func run(_ arguments: [String]) async throws -> Command.Outcome {
    try await Urlload.run(arguments, environment: environment, in: folder)
  }

  @Test func aTreeIsTheSameEverywhere() async throws {
    defer { cleanUp() }
    let first = places[0].directory.appending(path: "tree")
    try makeTree(in: first)
    let expected = try contents(first)
    // From where a tree is to each of the others.
    for place in places.dropFirst() {
      let outcome = try await run(["cp", "-r", places[0].url + "tree", place.url + "tree"])
      #expect(outcome.status == .exited(0), "file to \(place.name): \(outcome.error)")
      #expect(try difference(place.directory.appending(path: "tree"), expected) == [], "file to \(place.name)")
    }
    for source in places {
      for target in places where target.name != source.name || source.name != "file" {
        let name = "from-\(source.name)"
        let outcome = try await run(["cp", "-r", source.url + "tree", target.url + name])
        #expect(outcome.status == .exited(0), "\(source.name) to \(target.name): \(outcome.error)")
        let copy = target.directory.appending(path: name)
        // nginx lists no names that begin with a dot.
        let shown = source.name == "dav" ? expected.filter { !"/\($0.key)".contains("/.") } : expected
        #expect(try difference(copy, shown) == [], "\(source.name) to \(target.name)")
        let removal = try await run(["rm", "-r", target.url + name])
        #expect(removal.status == .exited(0), "\(target.name): \(removal.error)")
        #expect(!FileManager.default.fileExists(atPath: copy.path))
      }
    }
  }

  /// What was interrupted is started again, and no file is there that is not whole.
  @Test func anInterruptedCopyIsStartedAgain() async throws {
    defer { cleanUp() }
    let first = places[0].directory.appending(path: "tree")
    try makeTree(in: first)
    let expected = try contents(first)
    for place in places.dropFirst() {
      let copy = place.directory.appending(path: "tree")
      for point in 1...10 {
        let log = folder.file("log")
        let program = try ChildProcess(
          BuiltProgram.path("urlload"), ["cp", "-r", places[0].url + "tree", place.url], environment: environment,
          directory: folder.url, output: log, error: log)
        // Ended when so many of the files are there, or at the end.
        let wanted = expected.count * point / 12
        while program.exitStatus == nil {
          let there = (try? FileManager.default.subpathsOfDirectory(atPath: copy.path).count) ?? 0
          guard there < wanted else { break }
          await Task.yield()
        }
        program.send(signal: SIGINT)
        _ = await program.waitForExit()
        // What is there under its name is whole; FTP stores under the name itself.
        guard place.name != "ftp" else { continue }
        for (path, bytes) in try contents(copy) where expected.keys.contains(path) {
          #expect(bytes == expected[path], "\(place.name): \(path)")
        }
      }
      let outcome = try await run(["cp", "-r", places[0].url + "tree", place.url])
      #expect(outcome.status == .exited(0), "\(place.name): \(outcome.error)")
      #expect(try difference(copy, expected) == [], "\(place.name)")
    }
  }
}
