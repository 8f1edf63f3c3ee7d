import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// FTP servers that say something wrong of a file, or nothing at all.
@Suite(.timeLimit(.minutes(2))) struct HostileFTPTests {
  private let session = URLSession(configuration: .ephemeral)
  private let file = TestFiles.pattern(count: 1000)

  private func server(_ change: (inout ScriptedFTPServer.Script) -> Void) throws -> ScriptedFTPServer {
    var script = ScriptedFTPServer.Script(file: file)
    change(&script)
    return try ScriptedFTPServer(script)
  }

  private func ranged(_ url: URL, _ range: String) -> URLRequest {
    var request = URLRequest(url: url)
    request.setValue("bytes=\(range)", forHTTPHeaderField: "Range")
    return request
  }

  // MARK: What SIZE says

  @Test(arguments: ["213 500", "213 0", "213 -5", "213 999", "213 abc", "213 99999999999999999999", "213", "200 500"])
  func aSizeThatIsTooSmallCutsNothingOff(reply: String) async throws {
    for beginning in ["150 go", "150 opening data connection for x.bin (500 bytes)"] {
      let server = try server {
        $0.replies["SIZE"] = reply
        $0.beginning = beginning
      }
      let (data, response) = try await session.data(from: server.url())
      #expect(data == file)
      let claims: [String: Int64] = ["213 500": 500, "213 0": 0, "213 999": 999]
      #expect(response.expectedContentLength == claims[reply] ?? -1)
      let (download, _) = try await session.download(from: server.url())
      #expect(try Data(contentsOf: download) == file)
      unlink(download.path)
      await server.stop()
    }
  }

  @Test func aSizeThatIsTooLargeFails() async throws {
    let server = try server { $0.replies["SIZE"] = "213 1001" }
    let error = try await #require(throws: URLError.self) { try await session.data(from: server.url()) }
    #expect(error.code == .networkConnectionLost, "\(error)")
    #expect(error.localizedDescription.contains("1000") && error.localizedDescription.contains("1001"), "\(error)")
    await server.stop()
  }

  @Test(arguments: ["426 cut off", "451 disk error", "550 gone"])
  func aTransferThatTheServerCallsBrokenFails(ending: String) async throws {
    for size in ["213 1000", "213 500", "500 unknown"] {
      let server = try server {
        $0.replies["SIZE"] = size
        $0.ending = ending
      }
      let error = try await #require(throws: URLError.self) { try await session.data(from: server.url()) }
      #expect(error.code == .networkConnectionLost, "\(size): \(error)")
      await server.stop()
    }
  }

  @Test func aRangeThatEndsEarlyFails() async throws {
    let server = try server { $0.limit = 100 }
    for range in ["0-199", "700-", "-300", "100-998"] {
      let error = try await #require(throws: URLError.self, "\(range)") {
        try await session.data(for: ranged(server.url(), range))
      }
      #expect(error.code == .networkConnectionLost, "\(range): \(error)")
    }
    await server.stop()
  }

  @Test func aRangeToTheEndOfAFileThatIsLongerFails() async throws {
    let server = try server { $0.replies["SIZE"] = "213 500" }
    let error = try await #require(throws: URLError.self) {
      try await session.data(for: ranged(server.url(), "200-"))
    }
    #expect(error.code == .networkConnectionLost || error.code == .badServerResponse, "\(error)")
    #expect(try await session.data(for: ranged(server.url(), "200-299")).0 == file[200..<300])
    await server.stop()
  }

  @Test func aFileThatChangesBetweenItsSizeAndItsRangeIsAskedForAgain() async throws {
    let server = try server { $0.laterReplies["MDTM"] = "213 20260102030406" }
    let (data, response) = try await session.data(for: ranged(server.url(), "10-19"))
    #expect(data == file[10..<20])
    #expect(response.contentRange?.completeLength == 1000)
    // Size and date, the range of what was another file by then, and both again.
    #expect(server.count(of: "MDTM") == 4)
    await server.stop()
  }

  @Test func aRangeOfTextIsTheWhole() async throws {
    // The size and positions of a file that is sent as text are not those of what comes (RFC 959, section 3.1.1).
    let file = Data("a line\n".utf8)
    let server = try ScriptedFTPServer(ScriptedFTPServer.Script(file: file))
    let (data, response) = try await session.data(for: ranged(server.url("/x.bin;type=a"), "2-3"))
    #expect(data == file && response.contentRange == nil && !response.acceptsByteRanges)
    #expect(response.expectedContentLength == -1)
    #expect(server.commands.contains("TYPE A") && server.count(of: "SIZE") == 0)
    await server.stop()
  }

  @Test(arguments: [
    ("/d/a%20b.bin", "a b.bin"), ("/d/%C3%BC", "ü"), ("/a;b", "a;b"), ("/x.bin;type=i", "x.bin"), ("/x?y", "x"),
    ("//e/x%3Fy", "x?y"), ("/d%2Fx", "x"), ("/*x", "*x"),
  ])
  func sizeAndDateAreAskedOfTheFileThatIsLoaded(path: String, name: String) async throws {
    let server = try server { _ in }
    let response = try await session.data(from: server.url(path)).1
    #expect(response.expectedContentLength == 1000 && response.validators.lastModified != nil)
    #expect(server.commands.contains("RETR \(name)"), "\(server.commands)")
    #expect(server.commands.contains("SIZE \(name)") && server.commands.contains("MDTM \(name)"))
    await server.stop()
  }

  @Test(arguments: ["500 unknown", "502 not here"]) func aRangeNeedsNoSize(reply: String) async throws {
    let server = try server { $0.replies["SIZE"] = reply }
    for range in ["0-9", "100-199", "999-999"] {
      let (data, response) = try await session.data(for: ranged(server.url(), range))
      let ends = range.split(separator: "-").compactMap { Int($0) }
      #expect(data == file[ends[0]...ends[1]])
      #expect(
        response.contentRange?.fieldValue == "bytes \(range)/*" && response.expectedContentLength == Int64(data.count))
    }
    #expect(server.commands.contains("REST 100"))
    // The end of others is not known, as nothing can be listed.
    let (whole, response) = try await session.data(for: ranged(server.url(), "100-"))
    #expect(whole == file && response.contentRange == nil)
    let error = try await #require(throws: URLError.self) {
      try await session.data(for: ranged(server.url(), "900-1099"))
    }
    #expect(error.code == .networkConnectionLost, "\(error)")
    await server.stop()
  }

  // MARK: Servers that do not answer

  @Test(arguments: [["MDTM"], ["SIZE"], ["SIZE", "MDTM"]])
  func aQuestionWithoutAnAnswerIsAskedOnce(silent: [String]) async throws {
    let server = try server { for command in silent { $0.replies[command] = .some(nil) } }
    let clock = ContinuousClock()
    let start = clock.now
    let (data, response) = try await session.data(from: server.url())
    #expect(data == file)
    #expect(clock.now - start > .seconds(1.5) && clock.now - start < .seconds(8))
    #expect(response.expectedContentLength == (silent.contains("SIZE") ? -1 : 1000))
    #expect(response.validators.lastModified == nil)
    #expect(server.connectionCount == 2)
    let again = clock.now
    #expect(try await session.data(from: server.url()).0 == file)
    #expect(clock.now - again < .seconds(1.5))
    for command in silent { #expect(server.count(of: command) <= 1) }
    await server.stop()
  }

  @Test(arguments: [["MDTM"], ["SIZE"], ["SIZE", "MDTM"]])
  func rangesAndHeadsWithoutAnAnswer(silent: [String]) async throws {
    let server = try server { for command in silent { $0.replies[command] = .some(nil) } }
    let knowsSize = !silent.contains("SIZE")
    let (data, response) = try await session.data(for: ranged(server.url(), "10-19"))
    #expect(data == file[10..<20])
    #expect(response.contentRange?.fieldValue == (knowsSize ? "bytes 10-19/1000" : "bytes 10-19/*"))
    if !knowsSize { #expect(try await session.data(for: ranged(server.url(), "10-")).0 == file) }
    var head = URLRequest(url: server.url())
    head.httpMethod = "HEAD"
    for session in [session, URLSession(configuration: .ephemeral)] {
      let (empty, answer) = try await session.data(for: head)
      #expect(empty.isEmpty && answer.expectedContentLength == (knowsSize ? 1000 : -1))
    }
    server.change { $0.replies["RETR"] = "550 no such file" }
    if !knowsSize {
      let error = try await #require(throws: URLError.self) { try await session.data(for: head) }
      #expect([.fileDoesNotExist, .fileIsDirectory].contains(error.code), "\(error)")
    }
    await server.stop()
  }

  @Test func aServerThatIsSlowWithTheLoginIsWaitedFor() async throws {
    let server = try server { $0.delays = ["220": .seconds(3), "USER": .seconds(3), "RETR": .seconds(3)] }
    let (data, response) = try await session.data(from: server.url())
    #expect(data == file && response.expectedContentLength == 1000 && response.validators.lastModified != nil)
    #expect(server.connectionCount == 1)
    await server.stop()
  }

  @Test func aServerThatIsSlowWithEverythingIsLoadedWithoutSizeAndDate() async throws {
    let server = try server { $0.delays = ["*": .milliseconds(2500)] }
    let (data, response) = try await session.data(from: server.url())
    #expect(data == file && response.expectedContentLength == -1)
    #expect(server.connectionCount == 2)
    await server.stop()
  }
}
