import Foundation
import Testing

@testable import URLLoadingCurlTransport

/// The commands of changes on FTP servers, and what the replies mean.
@Suite struct FTPChangeStepsTests {
  private func change(_ verb: FTPChange.Verb, _ path: String) throws -> FTPChange {
    FTPChange(verb, of: try FTPName(path: path))
  }

  private func move(_ path: String, _ target: String, replaces: Bool = false) throws -> FTPChange {
    try change(.move(to: FTPName(path: target), replaces: replaces), path)
  }

  /// What a server that gives these replies, one after the other, gets and causes.
  private func run(_ change: FTPChange, _ replies: [String]) -> (commands: [String], outcome: FTPChangeSteps.Outcome?) {
    var steps = FTPChangeSteps(change)
    var commands: [String] = []
    // Those of a login are not of the change.
    _ = steps.take(FTPReply(code: 230, text: "230 in"))
    for line in ["USER x", "PWD"] { send(line, to: &steps) }
    var isNext = steps.command != nil
    for reply in replies {
      guard isNext, let command = steps.command else { break }
      let line = String(decoding: command, as: UTF8.self)
      commands.append(line)
      send(line, to: &steps)
      isNext = steps.take(FTPReply(code: Int(reply.prefix(3)) ?? 0, text: reply))
    }
    return (commands, steps.outcome)
  }

  private func send(_ line: String, to steps: inout FTPChangeSteps) {
    var bytes = Array("\(line)\r\n".utf8)
    bytes.withUnsafeMutableBytes { steps.sent(UnsafeRawBufferPointer($0)) }
  }

  private func expect(
    _ change: FTPChange, _ replies: [String], _ commands: [String], _ code: URLError.Code?,
    at location: SourceLocation = #_sourceLocation
  ) {
    let result = run(change, replies)
    #expect(result.commands == commands, sourceLocation: location)
    switch result.outcome {
    case .done: #expect(code == nil, sourceLocation: location)
    case .refused(let refusal): #expect(refusal.code == code, "\(refusal)", sourceLocation: location)
    case nil: Issue.record("no end", sourceLocation: location)
    }
  }

  // MARK: Looking ahead of an upload

  @Test func findingNothing() throws {
    let change = try change(.findNothing, "/a/d")
    let all = ["CWD a", "CWD d", "TYPE I", "SIZE d", "MDTM d"]
    expect(change, ["250", "550 none", "200", "550 none", "550 none"], all, nil)
    expect(change, ["250", "250 in"], Array(all.prefix(2)), .cannotCreateFile)
    expect(change, ["250", "550 no directory", "200", "213 5"], Array(all.prefix(4)), .cannotCreateFile)
    expect(change, ["250", "550 none", "200", "550 none", "213 20260101000000"], all, .cannotCreateFile)
    expect(change, ["250", "550 none", "200", "500 what", "502 what"], all, .unsupportedURL)
    expect(change, ["250", "550 Permission denied", "200", "550 none", "550 none"], all, .cannotCreateFile)
    expect(change, ["550 none"], ["CWD a"], .fileDoesNotExist)
  }

  // MARK: Removing

  @Test func removing() throws {
    try expect(change(.remove, "/a/b c/d"), ["250", "250", "250 gone"], ["CWD a", "CWD b c", "DELE d"], nil)
    try expect(change(.remove, "/%2Fa/d"), ["250", "250", "250"], ["CWD /", "CWD a", "DELE d"], nil)
    try expect(change(.remove, "/d"), ["550 Is a directory", "250"], ["DELE d", "RMD d"], nil)
    try expect(change(.remove, "/d/"), ["250"], ["RMD d"], nil)
  }

  @Test(arguments: [
    (["550 no such file", "550 no such file"], URLError.Code.fileDoesNotExist),
    (["550 odd", "550 odd", "550", "200", "550", "550"], .fileDoesNotExist),
    (["550 odd", "550 odd", "250 in it"], .cannotRemoveFile),
    (["550 odd", "550 odd", "550", "200", "213 5"], .cannotRemoveFile),
    (["550 odd", "550 odd", "550", "200", "550", "213 20200101000000"], .cannotRemoveFile),
    (["550 odd", "550 odd", "550", "200", "500", "502"], .cannotRemoveFile),
    (["550 not found", "550 odd", "550", "200", "500", "502"], .fileDoesNotExist),
    (["550 Permission denied", "550 no such", "550", "504", "550", "550"], .cannotRemoveFile),
    (["502 what?", "550 odd", "550", "200", "213 1"], .unsupportedURL),
    (["450 busy"], .cannotRemoveFile), (["421 bye"], .cannotRemoveFile), (["530 log in"], .userAuthenticationRequired),
    (["332 account?"], .userAuthenticationRequired), (["150 wait"], .badServerResponse),
    (["350 go on"], .badServerResponse),
    (["999 x"], .badServerResponse), (["0"], .badServerResponse),
  ])
  func whatIsNotRemoved(replies: [String], code: URLError.Code) throws {
    let commands = ["DELE d", "RMD d", "CWD d", "TYPE I", "SIZE d", "MDTM d"]
    try expect(change(.remove, "/d"), replies, Array(commands.prefix(replies.count)), code)
  }

  @Test func theDirectoryOnTheWay() throws {
    for (reply, code) in [
      ("550 odd", URLError.Code.fileDoesNotExist), ("501 odd", .fileDoesNotExist),
      ("550 Permission denied", .cannotRemoveFile),
      ("550 Not a directory", .cannotRemoveFile), ("450 later", .cannotRemoveFile),
      ("530 in first", .userAuthenticationRequired),
    ] {
      try expect(change(.remove, "/a/d"), [reply], ["CWD a"], code)
    }
  }

  /// Servers repeat names.
  @Test func wordsOfANameSayNothing() throws {
    try expect(
      change(.remove, "/denied/permission"), ["550 Denied: no such file"], ["CWD denied"], .fileDoesNotExist)
    let result = try run(change(.makeDirectory, "/not%20found"), ["550 \"not found\": there already"])
    #expect(
      result.outcome
        == .refused(
          FTPRefusal(
            .cannotCreateFile, "the server refuses", FTPReply(code: 550, text: "550 \"not found\": there already"))))
  }

  // MARK: Making

  @Test(arguments: [
    ("257 made", nil), ("250 made", nil), ("550 File exists", URLError.Code.cannotCreateFile),
    ("521 exists", .cannotCreateFile),
    ("553 no", .cannotCreateFile), ("550 No such file", .fileDoesNotExist), ("502 no MKD", .unsupportedURL),
    ("552 full", .cannotCreateFile), ("530 who?", .userAuthenticationRequired), ("125 x", .badServerResponse),
  ])
  func making(reply: String, code: URLError.Code?) throws {
    try expect(change(.makeDirectory, "/a/d/"), ["250", reply], ["CWD a", "MKD d"], code)
  }

  // MARK: Moving

  @Test func namesAreFromTheDirectoryThatTheyShare() throws {
    let free = ["550", "200", "550", "550", "350", "250"]
    try expect(
      move("/a/b/c", "/a/b/d"), ["250", "250"] + free,
      ["CWD a", "CWD b", "CWD d", "TYPE I", "SIZE d", "MDTM d", "RNFR c", "RNTO d"], nil)
    try expect(
      move("/a/b/c", "/a/x/y"), ["250"] + free,
      ["CWD a", "CWD x/y", "TYPE I", "SIZE x/y", "MDTM x/y", "RNFR b/c", "RNTO x/y"], nil)
    try expect(
      move("/a/b", "/%2Fx/y"), free,
      ["CWD /x/y", "TYPE I", "SIZE /x/y", "MDTM /x/y", "RNFR a/b", "RNTO /x/y"], nil)
    try expect(
      move("/%2Fa", "/%2Fx"), ["250"] + free,
      ["CWD /", "CWD x", "TYPE I", "SIZE x", "MDTM x", "RNFR a", "RNTO x"], nil)
    try expect(
      move("/a", "/a/x"), free, ["CWD a/x", "TYPE I", "SIZE a/x", "MDTM a/x", "RNFR a", "RNTO a/x"], nil)
  }

  private static let looks = ["CWD b", "TYPE I", "SIZE b", "MDTM b"]

  @Test(arguments: [
    (["250 in"], looks.prefix(1), URLError.Code.cannotMoveFile),
    (["550", "200", "213 1"], looks.prefix(3), .cannotMoveFile),
    (["550", "504", "500", "213 20200101000000"], looks[...], .cannotMoveFile),
    (["550", "200", "500", "502"], looks[...], .unsupportedURL),
    (["550", "200", "450", "450"], looks[...], .unsupportedURL),
    (["550", "200", "550 Permission denied", "550"], looks[...], .cannotMoveFile),
    (["550 Permission denied", "200", "550", "550"], looks[...], .cannotMoveFile),
    (["450 x"], looks.prefix(1), .cannotMoveFile), (["350 x"], looks.prefix(1), .badServerResponse),
  ])
  func nothingIsReplacedThatMayBeThere(replies: [String], commands: ArraySlice<String>, code: URLError.Code) throws {
    try expect(move("/a", "/b"), replies, Array(commands), code)
  }

  @Test func onlyFilesReplaceFiles() throws {
    let looks = Self.looks
    try expect(move("/a", "/b", replaces: true), ["250"], ["CWD b"], .cannotMoveFile)
    try expect(
      move("/a", "/b", replaces: true), ["550", "200", "213 1", "250"], looks.prefix(3) + ["CWD a"], .cannotMoveFile)
    try expect(
      move("/a", "/b", replaces: true), ["550", "200", "213 1", "550", "350", "250"],
      looks.prefix(3) + ["CWD a", "RNFR a", "RNTO b"], nil)
    try expect(
      move("/a", "/b", replaces: true), ["550", "200", "500", "500", "350", "250"], looks + ["RNFR a", "RNTO b"], nil)
    try expect(
      move("/a", "/b", replaces: true), ["550 denied", "200", "550", "550", "350", "250"],
      looks + ["RNFR a", "RNTO b"], nil)
  }

  @Test(arguments: [
    ("550 odd", URLError.Code.fileDoesNotExist), ("550 Permission denied", .cannotMoveFile), ("502 x", .unsupportedURL),
    ("250 done?", .badServerResponse), ("450 busy", .cannotMoveFile), ("553 x", .cannotMoveFile),
    ("530 x", .userAuthenticationRequired),
  ])
  func whatIsNotMoved(reply: String, code: URLError.Code) throws {
    try expect(move("/a", "/b"), ["550", "200", "550", "550", reply], Self.looks + ["RNFR a"], code)
  }

  @Test func whatDoesNotGetItsName() throws {
    let free = ["550", "200", "550", "550", "350"]
    let commands = ["CWD x/b", "TYPE I", "SIZE x/b", "MDTM x/b", "RNFR a", "RNTO x/b"]
    try expect(move("/a", "/x/b"), free + ["550 No such file"], commands, .fileDoesNotExist)
    try expect(move("/a", "/x/b"), free + ["553 odd", "550 odd"], commands + ["CWD x"], .fileDoesNotExist)
    try expect(move("/a", "/x/b"), free + ["553 odd", "250"], commands + ["CWD x"], .cannotMoveFile)
    try expect(move("/a", "/x/b"), free + ["553 odd", "550 Not a directory"], commands + ["CWD x"], .cannotMoveFile)
    try expect(move("/a", "/x/b"), free + ["550 denied"], commands, .cannotMoveFile)
    try expect(move("/a", "/x/b"), free + ["450 busy"], commands, .cannotMoveFile)
    try expect(move("/a", "/b"), free + ["553 odd"], Self.looks + ["RNFR a", "RNTO b"], .cannotMoveFile)
    try expect(move("/a", "/b"), free + ["350 odd"], Self.looks + ["RNFR a", "RNTO b"], .badServerResponse)
  }

  @Test func whatMayHaveHappened() throws {
    var steps = FTPChangeSteps(try move("/a", "/b", replaces: true))
    for (reply, mayHaveChanged) in [
      ("550", false), ("200", false), ("550", false), ("550", false), ("350", false), ("250", true),
    ] {
      send(String(decoding: steps.command ?? [], as: UTF8.self), to: &steps)
      #expect(steps.mayHaveChanged == mayHaveChanged && steps.hasBegun)
      _ = steps.take(FTPReply(code: Int(reply) ?? 0, text: reply))
    }
    #expect(steps.outcome == .done && !steps.mayHaveChanged)
  }

  /// Whatever a server replies, the change comes to an end.
  @Test func everyReplyLeadsToAnEnd() throws {
    var generator = SystemRandomNumberGenerator()
    let codes = [0, 120, 150, 200, 213, 220, 250, 257, 331, 332, 350, 421, 450, 500, 501, 502, 504, 530, 550, 553, 999]
    for change in try [
      change(.remove, "/a/b"), change(.remove, "/a/"), change(.makeDirectory, "/a/b"), move("/a/b", "/a/c"),
      move("/a/b", "/c/d", replaces: true),
    ] {
      for _ in 0..<2000 {
        let replies = (0..<12).map { _ in "\(codes.randomElement(using: &generator) ?? 0) not found" }
        let result = run(change, replies)
        #expect(result.outcome != nil, "\(replies)")
        for verb in ["DELE", "RMD", "MKD", "RNFR", "RNTO"] {
          #expect(result.commands.count { $0.hasPrefix(verb) } <= 1)
        }
      }
    }
  }
}
