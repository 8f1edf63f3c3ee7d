import Foundation
import Testing
import URLLoading

@testable import SFTPProtocol

/// Uploads to a server that answers as the test says, step by step.
@Suite struct RemoteUploadTests {
  private enum Kind {
    static let open: UInt8 = 3
    static let close: UInt8 = 4
    static let write: UInt8 = 6
    static let lstat: UInt8 = 7
    static let remove: UInt8 = 13
    static let realpath: UInt8 = 16
    static let stat: UInt8 = 17
    static let rename: UInt8 = 18
  }

  private static let noSuchFile: UInt32 = 2
  private static let permissionDenied: UInt32 = 3

  private func upload(replaces: Bool = true, name: String = "f") throws -> OperationScript {
    try OperationScript(name: name) { url, server, report in
      RemoteUpload(
        url: url, path: try RemotePath(of: url), replaces: replaces,
        content: .body(UploadBodyReader(.data(Data("new".utf8)))),
        server: server, report: report)
    }
  }

  /// The requests that an upload begins with, on one way to the server and back.
  private func begun() throws -> (script: OperationScript, lstat: UInt32, open: UInt32) {
    let script = try upload()
    let requests = script.requests()
    try #require(requests.map(\.type) == [Kind.lstat, Kind.open])
    return (script, requests[0].identifier, requests[1].identifier)
  }

  /// Writes, closes, and gives the name.
  private func expectToStore(_ script: OperationScript) throws {
    let sent = script.requests()
    try #require(sent.map(\.type) == [Kind.write, Kind.close])
    for request in sent { script.answer(.status(request.identifier, 0)) }
    let rename = script.requests()
    try #require(rename.map(\.type) == [Kind.rename])
    #expect(!script.hasFinished)
    script.answer(.status(rename[0].identifier, 0))
    #expect(script.hasFinished)
    #expect(script.requests().isEmpty)
    #expect(!script.client.isBusy)
  }

  /// Closes and removes the temporary file, and holds the connection until it has gone.
  private func expectRemoval(_ script: OperationScript) throws {
    let requests = script.requests()
    try #require(requests.map(\.type) == [Kind.close, Kind.remove])
    #expect(script.client.isBusy)
    for request in requests { script.answer(.status(request.identifier, 0)) }
    #expect(!script.client.isBusy)
  }

  @Test func theTargetIsAskedAboutWhileTheFileIsMade() throws {
    let (script, lstat, open) = try begun()
    script.answer(.status(lstat, Self.noSuchFile))
    #expect(script.requests().isEmpty)
    script.answer(.handle(open, [7]))
    try expectToStore(script)
  }

  /// A server may answer in any order (draft-ietf-secsh-filexfer-02, section 6.1).
  @Test func nothingIsWrittenBeforeTheTargetIsKnown() throws {
    let (script, lstat, open) = try begun()
    script.answer(.handle(open, [7]))
    #expect(script.requests().isEmpty)
    script.answer(.status(lstat, Self.noSuchFile))
    try expectToStore(script)
  }

  @Test func aFileThatMustStayIsAskedAboutFirst() throws {
    let script = try upload(replaces: false)
    let lstat = script.requests()
    try #require(lstat.map(\.type) == [Kind.lstat])
    script.answer(.status(lstat[0].identifier, Self.noSuchFile))
    let open = script.requests()
    try #require(open.map(\.type) == [Kind.open])
    script.answer(.handle(open[0].identifier, [7]))
    try expectToStore(script)
  }

  @Test(arguments: [true, false])
  func whatWasMadeBesideADirectoryGoes(directoryIsFirst: Bool) throws {
    let (script, lstat, open) = try begun()
    let directory = PacketBytes.attributes(lstat, size: 0, permissions: 0o040755, time: 5)
    if directoryIsFirst {
      script.answer(directory)
      #expect(script.failure?.code == .fileIsDirectory)
      #expect(script.client.isBusy)
      #expect(script.requests().isEmpty)
      script.answer(.handle(open, [7]))
    } else {
      script.answer(.handle(open, [7]))
      script.answer(directory)
      #expect(script.failure?.code == .fileIsDirectory)
    }
    try expectRemoval(script)
  }

  /// The target says more than that nothing can be made beside it.
  @Test func theTargetIsWhatIsWrong() throws {
    let (script, lstat, open) = try begun()
    script.answer(.status(open, Self.permissionDenied, "Permission denied"))
    #expect(script.failure == nil)
    script.answer(.attributes(lstat, size: 0, permissions: 0o040755, time: 5))
    #expect(script.failure?.code == .fileIsDirectory)
    #expect(script.requests().isEmpty)
    #expect(!script.client.isBusy)
  }

  @Test(arguments: [true, false])
  func aFolderThatTakesNoFileIsWrong(openIsFirst: Bool) throws {
    let (script, lstat, open) = try begun()
    let answers = [
      PacketBytes.status(open, Self.permissionDenied, "Permission denied"), .status(lstat, Self.noSuchFile),
    ]
    for answer in openIsFirst ? answers : answers.reversed() {
      #expect(script.failure == nil)
      script.answer(answer)
    }
    // Nor does it take the target itself.
    let inPlace = script.requests()
    try #require(inPlace.map(\.type) == [Kind.open])
    #expect(script.failure == nil)
    script.answer(.status(inPlace[0].identifier, Self.permissionDenied, "Permission denied"))
    #expect(script.failure?.code == .cannotCreateFile)
    #expect(script.failure?.localizedDescription.contains("refused to create /.f.") == true)
    #expect(!script.client.isBusy)
  }

  /// The file has to be made where the link leads to, which may be on another disk, whether one could be made beside the link or not.
  @Test(arguments: [true, false])
  func whatWasMadeBesideALinkGoes(folderTakesFiles: Bool) throws {
    let (script, lstat, open) = try begun()
    script.answer(.attributes(lstat, size: 1, permissions: 0o120777, time: 5))
    let realpath = script.requests()
    try #require(realpath.map(\.type) == [Kind.realpath])
    script.answer(folderTakesFiles ? .handle(open, [7]) : .status(open, Self.permissionDenied))
    if folderTakesFiles { try expectRemoval(script) }
    script.answer(
      PacketBytes().byte(104).word(realpath[0].identifier).word(1).string("/elsewhere/g").string("").word(0))
    // There is nothing yet, neither for those who ask by the link.
    for kind in [Kind.lstat, Kind.stat] {
      let question = script.requests()
      try #require(question.map(\.type) == [kind])
      script.answer(.status(question[0].identifier, Self.noSuchFile))
    }
    let second = script.requests()
    try #require(second.map(\.type) == [Kind.open])
    script.answer(.handle(second[0].identifier, [8]))
    try expectToStore(script)
  }

  /// What was made beside the link, and may still be there when the connection is lost, the next one removes.
  @Test func whatWasMadeBesideALinkGoesByTheNextConnection() throws {
    let (script, lstat, open) = try begun()
    script.answer(.handle(open, [7]))
    script.answer(.attributes(lstat, size: 1, permissions: 0o120777, time: 5))
    #expect(script.requests().map(\.type) == [Kind.close, Kind.remove, Kind.realpath])
    script.client.channelDidClose(nil)
    let retry = try #require(script.retry)
    let next = try OperationScript { _, server, report in retry(server, report) }
    #expect(next.requests().map(\.type) == [Kind.remove, Kind.lstat, Kind.open])
  }

  @Test func aNameThatIsTooLongIsAskedAboutByNothing() throws {
    let script = try upload(name: String(repeating: "a", count: 40_000))
    #expect(script.failure?.code == .badURL)
    #expect(script.requests().isEmpty)
    #expect(!script.client.isBusy)
  }
}
