import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

@testable import SFTPProtocol

/// Files of sshd from their making to their end.
@Suite struct SFTPRoundTripTests {
  /// What a program does with a file, whatever its name: upload, list, load by the entry's URL, delete.
  @Test func namesOfEveryKind() async throws {
    let server = try await SSHServer.start()
    let home = try await SSHHome.friendly(to: server)
    let names: [[UInt8]] = [
      Array("a b".utf8), Array(" ".utf8), Array("100%".utf8), Array("%2F".utf8), Array("new\nline\r".utf8),
      Array("größe 日本 🗄".utf8), Array("e\u{301}".utf8), Array("?#;&=+@:".utf8), Array("~".utf8), Array("-rf".utf8),
      [0xFF, 0xFE, 0x80], Array(repeating: UInt8(ascii: "x"), count: 255),
    ]
    let folder = server.url("/~/")
    for (index, name) in names.enumerated() {
      let url = try #require(URLDirectoryEntry(nameBytes: name, in: folder, kind: .file)?.url)
      var request = URLRequest(url: url)
      request.httpMethod = "PUT"
      _ = try await home.session.upload(for: request, from: TestFiles.pattern(count: 1000 + index))
    }
    var seen: [[UInt8]] = []
    for try await entry in home.session.entries(at: folder) {
      let index = try #require(names.firstIndex(of: entry.nameBytes), "\(entry.nameBytes)")
      #expect(entry.size == Int64(1000 + index))
      let data = try await home.session.data(from: entry.url).0
      #expect(data == TestFiles.pattern(count: 1000 + index), "\(entry.url)")
      var request = URLRequest(url: entry.url)
      request.httpMethod = "DELETE"
      _ = try await home.session.data(for: request)
      seen.append(entry.nameBytes)
    }
    #expect(Set(seen) == Set(names))
    #expect(try FileManager.default.contentsOfDirectory(atPath: server.home.path).isEmpty)
    await server.stop()
  }

  /// `sftp-server` behind a program that kills its sshd at a certain byte: that of the first line of a file, which it takes away.
  private static let killedServer = """
    import os, subprocess, sys
    def fact(pid, name):
        lines = open(f"/proc/{pid}/status").read().split("\\n")
        return next(line.split("\\t")[1] for line in lines if line.startswith(name + ":"))
    places = open(sys.argv[1]).read().split()
    open(sys.argv[1], "w").write("\\n".join(places[1:]))
    left = int(places[0]) if places else -1
    server = subprocess.Popen(["\(PipedServer.program)"] + sys.argv[2:], stdin=subprocess.PIPE)
    while left != 0 and (piece := os.read(0, min(left, 65536) if left > 0 else 65536)):
        server.stdin.write(piece)
        server.stdin.flush()
        if left > 0: left -= len(piece)
    if left == 0:
        pid = os.getppid()
        while not fact(pid, "Name").startswith("sshd"): pid = int(fact(pid, "PPid"))
        os.kill(pid, 9)
    server.stdin.close()
    server.wait()
    """

  /// Connections of an upload are killed at random places, one after another. Whatever comes of it, the target is the old file or the
  /// new one, and what else is there is no file of that name.
  @Test(arguments: 1...5) func uploadsWhoseConnectionsAreKilled(seed: UInt64) async throws {
    let folder = try TemporaryDirectory("killed")
    let script = try folder.write("killed.py", Self.killedServer)
    let places = try folder.write("places", "")
    var options = SSHServer.Options()
    options.subsystem = "/usr/bin/python3 \(script.path) \(places.path)"
    let server = try await SSHServer.start(options: options)
    var random = SeededGenerator(seed: seed)
    let file = server.home.appendingPathComponent("f")
    var old = TestFiles.pattern(count: 1_000_000, seed: 50)
    try old.write(to: file)
    for round in 0..<5 {
      let size = 3_000_000
      let new = TestFiles.pattern(count: size, seed: seed * 100 + UInt64(round))
      try folder.write(
        "places", (0..<round).map { _ in "\(Int.random(in: 1...size, using: &random))\n" }.joined())
      let home = try await SSHHome.friendly(to: server)
      var request = URLRequest(url: server.url("/~/f"))
      request.httpMethod = "PUT"
      // Two connections that are lost in a row are replaced, a third is not.
      if round < 3 {
        _ = try await home.session.upload(for: request, from: new)
        old = new
      } else {
        let error = await #expect(throws: URLError.self) {
          try await home.session.upload(for: request, from: new)
        }
        #expect(error?.code == .networkConnectionLost)
      }
      let contents = try Data(contentsOf: file)
      #expect(TestFiles.firstDifference(contents, old) == nil, "round \(round)")
      let names = try FileManager.default.contentsOfDirectory(atPath: server.home.path)
      #expect(names.allSatisfy { $0 == "f" || $0.hasPrefix(".f.") && $0.hasSuffix(".part") }, "\(names)")
    }
    await server.stop()
  }
}
