import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// FTP servers that refuse SIZE: open ranges need the size that a listing of the folder has, and it may be wrong (RFC 3659, section 7.7.1).
@Suite(.timeLimit(.minutes(2))) struct FTPListedSizeTests {
  private let session = URLSession(configuration: .ephemeral)
  private let file = TestFiles.pattern(count: 1000)
  private static let facts = "type=cdir; /\r\ntype=file;size=7; x.bi\r\nType=file;Size=1000; x.bin\r\n"

  private func server(
    _ listings: [String: String], _ change: (inout ScriptedFTPServer.Script) -> Void = { _ in }
  ) throws -> ScriptedFTPServer {
    var script = ScriptedFTPServer.Script(file: file)
    script.replies["SIZE"] = "502 no"
    script.listings = listings
    change(&script)
    return try ScriptedFTPServer(script)
  }

  private func ranged(_ url: URL, _ range: String) -> URLRequest {
    var request = URLRequest(url: url)
    request.setValue("bytes=\(range)", forHTTPHeaderField: "Range")
    return request
  }

  private func expectWhole(_ server: ScriptedFTPServer, _ ranges: [String] = ["100-", "-100"]) async throws {
    for range in ranges {
      let (data, response) = try await session.data(for: ranged(server.url(), range))
      #expect(data == file, "\(range)")
      #expect(response.contentRange == nil && response.expectedContentLength == -1, "\(range)")
    }
  }

  @Test(arguments: [
    ["MLSD": facts], ["LIST": "total 1\r\n-rw-r--r-- 1 me us 1000 Mar  1 10:00 x.bin\r\n"],
    ["LIST": "03-01-26  10:00AM                1,000 x.bin\r\n"], ["MLSD": "size=1000;type=file; x.bin"],
  ])
  func openRangesAreThoseOfTheListedSize(listings: [String: String]) async throws {
    let server = try server(listings)
    for (range, expected) in [("100-", 100..<1000), ("-100", 900..<1000), ("999-", 999..<1000), ("-5000", 0..<1000)] {
      let (data, response) = try await session.data(for: ranged(server.url(), range))
      #expect(data == file[expected])
      #expect(response.contentRange?.fieldValue == "bytes \(expected.lowerBound)-999/1000")
      #expect(response.expectedContentLength == Int64(expected.count) && response.acceptsByteRanges)
    }
    #expect(server.commands.contains("REST 100") && server.commands.contains("REST 900"))
    let error = try await #require(throws: URLError.self) {
      try await session.data(for: ranged(server.url(), "1000-"))
    }
    #expect(error.code == .badServerResponse && error.localizedDescription.contains("1000"), "\(error)")
    await server.stop()
  }

  @Test func aServerThatDoesNotAnswerSIZEIsListed() async throws {
    let server = try server(["MLSD": Self.facts]) { $0.replies["SIZE"] = .some(nil) }
    for _ in 0..<2 { #expect(try await session.data(for: ranged(server.url(), "100-")).0 == file[100...]) }
    #expect(server.count(of: "SIZE") == 1)
    await server.stop()
  }

  @Test(arguments: [
    ("/d/a%20b.bin", ["d"], "a b.bin"), ("/x.bin;type=i", [], "x.bin"), ("/d%2Fe/x", ["d", "e"], "x"),
    ("/d%2Fx?y", ["d"], "x"), ("//e/x%3By", ["/", "e"], "x;y"), ("/%C3%BC/%FF", ["ü"], "\u{FFFD}"),
  ])
  func theFolderOfTheFileIsListed(path: String, folders: [String], name: String) async throws {
    let server = try server(["MLSD": "type=file;size=1000; \(name)\r\n"])
    let (data, _) = try await session.data(for: ranged(server.url(path), "100-"))
    // A name that is no UTF-8 is another one.
    #expect(data == (path.hasSuffix("%FF") ? file : file[100...]), "\(server.commands)")
    let commands = server.commands
    let listing = try #require(commands.firstIndex(of: "MLSD"))
    let login = try #require(commands[..<listing].lastIndex { $0.hasPrefix("USER") })
    #expect(commands[login..<listing].filter { $0.hasPrefix("CWD") } == folders.map { "CWD \($0)" })
    await server.stop()
  }

  // MARK: What a listing may do

  @Test(arguments: [
    "", "type=file;size=1000; X.BIN\r\n", "type=file; x.bin\r\n", "size=1000; x.bin\r\n",
    "type=dir;size=1000; x.bin\r\n",
    "type=OS.unix=slink:/y;size=1000; x.bin\r\n", "broken\r\ntype=file;size=1000; x.bin\r\n",
    "type=file;size=0; x.bin\r\n",
    "type=file;size=-1; x.bin\r\n", "type=file;size=99999999999999999999; x.bin\r\n", "type=file;size=1000; /x.bin\r\n",
    // Approximate, which the standard allows.
    "type=file;size=512; x.bin\r\n", "type=file;size=999; x.bin\r\n", "type=file;size=1001; x.bin\r\n",
    "type=file;size=1024; x.bin\r\n", "type=file;size=9223372036854775807; x.bin\r\n",
  ])
  func aListingThatDoesNotTellTheSizeGivesTheWhole(listing: String) async throws {
    let server = try server(["MLSD": listing])
    try await expectWhole(server, ["100-", "-100", "900-", "1000-", "2000-"])
    #expect(server.count(of: "LIST") == 0)
    await server.stop()
  }

  @Test(arguments: ["550 No", "450 Not now", "425 No data", "530 Log in", "500 What?"])
  func aRefusedListingGivesTheWhole(reply: String) async throws {
    let server = try server(["LIST": "lrwxrwxrwx 1 me us 1000 Mar  1 10:00 x.bin -> y\r\n"]) {
      $0.replies["MLSD"] = reply
    }
    try await expectWhole(server)
    #expect((server.count(of: "LIST") > 0) == reply.hasPrefix("500"))
    await server.stop()
  }

  @Test func aServerWithoutListingsOrRestartGivesTheWhole() async throws {
    let server = try server([:])
    try await expectWhole(server)
    server.change {
      $0.listings = ["MLSD": Self.facts]
      $0.replies["REST"] = "502 no"
    }
    try await expectWhole(server)
    await server.stop()
  }

  @Test func aListingThatDoesNotComeIsWaitedForOnce() async throws {
    let server = try server([:]) { $0.replies["MLSD"] = .some(nil) }
    try await expectWhole(server)
    #expect(server.count(of: "MLSD") == 1)
    await server.stop()
    let holding = try self.server(["MLSD": "type=file;size=1; other\r\n"]) { $0.holdsListings = true }
    try await expectWhole(holding)
    #expect(holding.count(of: "MLSD") == 1)
    await holding.stop()
  }

  @Test func aListingIsReadUpToTheEntry() async throws {
    let server = try server(["MLSD": Self.facts]) { $0.holdsListings = true }
    #expect(try await session.data(for: ranged(server.url(), "100-")).0 == file[100...])
    await server.stop()
  }

  @Test func aListingIsReadUpToALimit() async throws {
    let line = "type=file;size=1; \(String(repeating: "y", count: 200))\r\n"
    for (count, isFound) in [(4000, true), (6000, false)] {
      let server = try server(["MLSD": String(repeating: line, count: count) + Self.facts])
      if isFound {
        #expect(try await session.data(for: ranged(server.url(), "100-")).0 == file[100...])
      } else {
        try await expectWhole(server)
      }
      await server.stop()
    }
  }

  /// What the other server is given for its listing begins during the suspension, and ends in it.
  @Test func aListingIsNotLateWhileItsLoadIsSuspended() async throws {
    let server = try server(["MLSD": Self.facts]) { $0.delays["MLSD"] = .seconds(3) }
    let silent = try self.server([:]) { $0.replies["MLSD"] = .some(nil) }
    let received = Watched<Data?>(nil)
    let task = session.dataTask(with: ranged(server.url(), "100-")) { data, _, _ in
      received.update { $0 = data ?? Data() }
    }
    task.resume()
    #expect(try await eventually { server.count(of: "MLSD") > 0 })
    task.suspend()
    try await expectWhole(silent, ["100-"])
    task.resume()
    #expect(await received.wait { $0 != nil })
    #expect(received.value == file[100...])
    await server.stop()
    await silent.stop()
  }

  /// A listing that does not end takes no longer than the load's request timeout allows, and is tried again by the next load.
  @Test func aLookupEndsBeforeTheRequestTimeout() async throws {
    let server = try server(["MLSD": "type=file;size=1; other\r\n"]) { $0.holdsListings = true }
    for _ in 0..<2 {
      var request = ranged(server.url(), "100-")
      request.timeoutInterval = 3
      #expect(try await session.data(for: request).0 == file)
    }
    #expect(server.count(of: "MLSD") == 2)
    await server.stop()
  }

  @Test(arguments: [("100-", 100), ("-300", 700)]) func aFileThatChangesAfterItsEndWasSeen(
    range: String, first: Int
  ) async throws {
    // The first transfer is of the last byte.
    let shorter = try server(["MLSD": Self.facts]) { $0.laterFile = TestFiles.pattern(count: 900) }
    let error = try await #require(throws: URLError.self) {
      try await session.data(for: ranged(shorter.url(), range))
    }
    #expect(error.code == .networkConnectionLost, "\(error)")
    await shorter.stop()
    let longer = try server(["MLSD": Self.facts]) { $0.laterFile = TestFiles.pattern(count: 1100) }
    let (data, response) = try await session.data(for: ranged(longer.url(), range))
    #expect(data == file[first...])
    #expect(response.contentRange?.fieldValue == "bytes \(first)-999/1000")
    await longer.stop()
  }

  @Test func aConditionIsNotMetByAListing() async throws {
    let server = try server(["MLSD": Self.facts])
    let tag = try await session.data(from: server.url()).1.validators.entityTag
    var request = ranged(server.url(), "100-")
    request.setValue(tag, forHTTPHeaderField: "If-Range")
    #expect(try await session.data(for: request).0 == file)
    #expect(server.count(of: "MLSD") == 0)
    await server.stop()
  }
}
