import Foundation
import Testing
import URLLoading

@testable import SFTPProtocol

/// The steps of a copy, by a server that answers as the test says.
@Suite struct RemoteCopyTests {
  private enum Kind {
    static let open: UInt8 = 3
    static let close: UInt8 = 4
    static let lstat: UInt8 = 7
    static let fstat: UInt8 = 8
    static let fsetstat: UInt8 = 10
    static let remove: UInt8 = 13
    static let stat: UInt8 = 17
    static let extended: UInt8 = 200
  }

  private static let extensions = [("posix-rename@openssh.com", "1"), ("copy-data", "1")]

  private func copy(
    replaces: Bool = true, extensions: [(String, String)] = Self.extensions
  ) throws -> OperationScript {
    try OperationScript(name: "a", extensions: extensions) { url, server, report in
      let target = try #require(URL(string: "sftp://host/b"))
      return RemoteCopy(
        url: url, path: try RemotePath(of: url), to: target, try RemotePath(of: target), replaces: replaces,
        uploads: nil, server: server, report: report)
    }
  }

  /// The identifiers of the requests that wait to be sent, which have to be these.
  private func expect(_ kinds: [UInt8], in script: OperationScript) throws -> [UInt32] {
    let requests = script.requests()
    try #require(requests.map(\.type) == kinds)
    return requests.map(\.identifier)
  }

  /// A copy of a file of ten bytes up to the requests that copy it: the extension's, two looks, the time, and the end.
  private func copying() throws -> (script: OperationScript, sent: [UInt32]) {
    let script = try copy()
    let stat = try expect([Kind.stat], in: script)
    script.answer(.attributes(stat[0], size: 10, permissions: 0o100640, time: 1000))
    script.answer(.handle(try expect([Kind.open], in: script)[0], [1]))
    let begun = try expect([Kind.lstat, Kind.open], in: script)
    script.answer(.status(begun[0], 2))
    script.answer(.handle(begun[1], [2]))
    let sent = try expect([Kind.extended, Kind.fstat, Kind.fstat, Kind.fsetstat, Kind.close], in: script)
    return (script, sent)
  }

  @Test func aCopyTakesFourRoundTripsAndARename() throws {
    let (script, sent) = try copying()
    script.answer(.status(sent[0], 0))
    script.answer(.attributes(sent[1], size: 10, permissions: 0o100640, time: 1000))
    script.answer(.attributes(sent[2], size: 10, permissions: 0o100640, time: 5))
    for request in sent[3...] { script.answer(.status(request, 0)) }
    script.answer(.status(try expect([Kind.extended], in: script)[0], 0))
    #expect(script.hasFinished && script.failure == nil)
    // The source is closed.
    _ = try expect([Kind.close], in: script)
  }

  /// What the server says of the copy, and of the file that is copied: which answer is given, its size and time.
  @Test(arguments: [(1, 11, 1000), (1, 10, 1001), (2, 9, 1000)] as [(Int, UInt64, UInt32)])
  func aCopyThatIsNotWholeIsNone(which: Int, size: UInt64, time: UInt32) throws {
    let (script, sent) = try copying()
    script.answer(.status(sent[0], 0))
    script.answer(.attributes(sent[which], size: size, permissions: 0o100640, time: time))
    #expect(script.failure?.code == .resourceUnavailable && !script.hasFinished)
    #expect(script.requests().map(\.type).contains(Kind.remove))
  }

  @Test(
    arguments: [(1, .resourceUnavailable), (8, .unsupportedURL), (4, .cannotWriteToFile)] as [(UInt32, URLError.Code)])
  func aRefusalIsSaid(status: UInt32, code: URLError.Code) throws {
    let (script, sent) = try copying()
    script.answer(.status(sent[0], status))
    #expect(script.failure?.code == code, "\(script.failure?.localizedDescription ?? "")")
    // The file that was to be the copy, and the source.
    #expect(script.requests().map(\.type).filter { $0 == Kind.remove } == [Kind.remove])
    #expect(!script.client.isBusy || script.failure != nil)
  }

  /// Servers that do not know the attributes of an open file say 0: those of the path count.
  @Test(arguments: [10, 9] as [UInt64]) func aLengthThatIsNotKnownOfAHandleIsAskedOfThePath(size: UInt64) throws {
    let (script, sent) = try copying()
    script.answer(.status(sent[0], 0))
    script.answer(.attributes(sent[1], size: 0, permissions: 0o100640, time: 0))
    script.answer(.attributes(sent[2], size: 0, permissions: 0o100640, time: 0))
    for request in sent[3...] { script.answer(.status(request, 0)) }
    let stat = try expect([Kind.stat], in: script)
    script.answer(.attributes(stat[0], size: size, permissions: 0o100640, time: 5))
    guard size == 10 else { return #expect(script.failure?.code == .resourceUnavailable) }
    script.answer(.status(try expect([Kind.extended], in: script)[0], 0))
    #expect(script.hasFinished)
  }

  @Test func aServerWithoutTheExtensionIsAskedForNothing() throws {
    let script = try copy(extensions: [("copy-data", "2")])
    #expect(script.failure?.code == .unsupportedURL)
    #expect(script.requests().isEmpty)
  }

  /// Another connection begins anew where nothing was changed, and the load fails where something may have been.
  @Test func aConnectionIsLost() throws {
    let early = try copy()
    _ = try expect([Kind.stat], in: early)
    early.client.channelDidClose(nil)
    #expect(early.failure == nil && early.hasBeenLost)
    let (script, _) = try copying()
    script.client.channelDidClose(nil)
    #expect(script.failure?.code == .networkConnectionLost && !script.hasBeenLost)
  }
}
