import Foundation
import TestServers
import Testing
import URLLoading

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

  /// The server's processes are killed while an upload is at a random place, again and again. Whatever comes of it, the target is
  /// the old file or the new one, and what else is there is no file of that name.
  @Test(arguments: 1...6) func uploadsWhoseConnectionsAreKilled(seed: UInt64) async throws {
    let server = try await SSHServer.start()
    let home = try await SSHHome.friendly(to: server)
    var random = SeededGenerator(seed: seed)
    let file = server.home.appendingPathComponent("f")
    var old = TestFiles.pattern(count: 1_000_000, seed: 50)
    try old.write(to: file)
    for round in 0..<4 {
      let new = TestFiles.pattern(count: 6_000_000, seed: seed * 100 + UInt64(round))
      let places = (0..<Int.random(in: 1...5, using: &random)).map { _ in Int.random(in: 0...5_900_000, using: &random)
      }
      var request = URLRequest(url: server.url("/~/f"))
      request.httpMethod = "PUT"
      let loading = Task { [request] in try await home.session.upload(for: request, from: new) }
      let isDone = Watched(false)
      let ending = Task {
        defer { isDone.update { $0 = true } }
        return await loading.result
      }
      for place in places {
        _ = try await eventually(interval: .milliseconds(1)) {
          try isDone.value || Self.temporarySize(in: server.home) >= place
        }
        server.killConnections()
      }
      let outcome = await ending.value
      let contents = try Data(contentsOf: file)
      if case .success = outcome {
        #expect(TestFiles.firstDifference(contents, new) == nil, "round \(round): told to be stored")
      } else {
        #expect([old, new].contains { TestFiles.firstDifference($0, contents) == nil }, "round \(round): half a file")
      }
      old = contents
      let names = try FileManager.default.contentsOfDirectory(atPath: server.home.path)
      #expect(names.allSatisfy { $0 == "f" || $0.hasPrefix(".f.") && $0.hasSuffix(".part") }, "\(names)")
    }
    var request = URLRequest(url: server.url("/~/f"))
    request.httpMethod = "PUT"
    _ = try await home.session.upload(for: request, from: Data("last".utf8))
    #expect(server.log.components(separatedBy: "Accepted publickey").count > 3, "the connections were not killed")
    #expect(try Data(contentsOf: file) == Data("last".utf8))
    await server.stop()
  }

  /// Bytes of the largest file in which an upload waits for its name.
  private static func temporarySize(in folder: URL) throws -> Int {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".part") }
    return names.map { name in
      var status = stat()
      return stat(folder.appendingPathComponent(name).path, &status) == 0 ? status.st_size : 0
    }.max() ?? -1
  }
}
