import Foundation
import Testing
import URLLoading

@testable import SFTPProtocol

/// What an upload keeps of the file that it replaces, and what it says where it cannot.
@Suite struct UploadKeepingTests {
  private enum Kind {
    static let open: UInt8 = 3
    static let close: UInt8 = 4
    static let write: UInt8 = 6
    static let lstat: UInt8 = 7
    static let fstat: UInt8 = 8
    static let fsetstat: UInt8 = 10
    static let remove: UInt8 = 13
    static let realpath: UInt8 = 16
    static let stat: UInt8 = 17
    static let rename: UInt8 = 18
    static let readlink: UInt8 = 19
  }

  private static let permissionDenied: UInt32 = 3
  private static let failed: UInt32 = 4

  private let uploads = UnfinishedUploads(configuration: .ephemeral)

  private func upload() throws -> OperationScript {
    try OperationScript { [uploads] url, server, report in
      RemoteUpload(
        url: url, path: try RemotePath(of: url), replaces: true,
        content: .body(UploadBodyReader(.data(Data("new".utf8)))),
        uploads: uploads, server: server, report: report)
    }
  }

  /// The identifiers of the requests that wait to be sent, which have to be these.
  private func expect(_ kinds: [UInt8], in script: OperationScript) throws -> [UInt32] {
    let requests = script.requests()
    try #require(requests.map(\.type) == kinds)
    return requests.map(\.identifier)
  }

  /// An upload in place of a file of user 7 and group 8, up to the question whose the new file is; the answer is user 1, group 2.
  private func replacing() throws -> OperationScript {
    let script = try upload()
    let begun = try expect([Kind.lstat, Kind.open], in: script)
    script.answer(.attributes(begun[0], permissions: 0o100640, user: 7, group: 8))
    script.answer(.handle(begun[1], [9]))
    let fstat = try expect([Kind.fstat], in: script)
    script.answer(.attributes(fstat[0], permissions: 0o100644, user: 1, group: 2))
    return script
  }

  /// The same, written in place because the server does not give the new file the owner.
  private func writingInPlace() throws -> (script: OperationScript, open: UInt32) {
    let script = try replacing()
    let fsetstat = try expect([Kind.fsetstat], in: script)
    script.answer(.status(fsetstat[0], Self.permissionDenied))
    let sent = try expect([Kind.close, Kind.remove, Kind.open], in: script)
    for request in sent.dropLast() { script.answer(.status(request, 0)) }
    #expect(!script.client.isBusy)
    return (script, sent[2])
  }

  @Test func aNewFileIsGivenTheOwnerOfTheOld() throws {
    let script = try replacing()
    let fsetstat = try expect([Kind.fsetstat], in: script)
    script.answer(.status(fsetstat[0], 0))
    for request in try expect([Kind.fsetstat, Kind.write, Kind.close], in: script) {
      script.answer(.status(request, 0))
    }
    #expect(uploads.urls.count == 1)
    script.answer(.status(try expect([Kind.rename], in: script)[0], 0))
    #expect(script.hasFinished)
    #expect(uploads.urls.isEmpty)
  }

  @Test func whatCannotBeGivenItsOwnerIsWrittenInPlace() throws {
    let (script, open) = try writingInPlace()
    script.answer(.handle(open, [3]))
    #expect(uploads.urls.map(\.absoluteString) == ["sftp://host/f"])
    for request in try expect([Kind.write, Kind.close], in: script) {
      #expect(!script.hasFinished)
      script.answer(.status(request, 0))
    }
    #expect(script.hasFinished)
    #expect(script.requests().isEmpty)
    #expect(uploads.urls.isEmpty)
  }

  @Test func aWriteInPlaceThatBreaksOffIsSaidToHaveTornTheFile() throws {
    let (script, open) = try writingInPlace()
    script.answer(.handle(open, [3]))
    let sent = try expect([Kind.write, Kind.close], in: script)
    script.answer(.status(sent[0], Self.failed))
    let message = script.failure?.localizedDescription ?? ""
    #expect(script.failure?.code == .cannotWriteToFile)
    #expect(message.contains("written in place") && message.contains("not whole"), "\(message)")
    #expect(uploads.urls.map(\.absoluteString) == ["sftp://host/f"])
  }

  /// Nothing was lost: it is not to be said.
  @Test func aFileThatMayNotBeWrittenInPlaceStaysWhole() throws {
    let (script, open) = try writingInPlace()
    script.answer(.status(open, Self.permissionDenied, "Permission denied"))
    let message = script.failure?.localizedDescription ?? ""
    #expect(script.failure?.code == .cannotWriteToFile)
    #expect(message.contains("refused to write to /f") && message.contains("owner 7"), "\(message)")
    #expect(!message.contains("not whole"), "\(message)")
    #expect(uploads.urls.isEmpty)
  }

  @Test func aRefusedNameIsSaidToBeOne() throws {
    let script = try upload()
    let begun = try expect([Kind.lstat, Kind.open], in: script)
    script.answer(.status(begun[0], 2))
    script.answer(.handle(begun[1], [9]))
    for request in try expect([Kind.write, Kind.close], in: script) { script.answer(.status(request, 0)) }
    script.answer(.status(try expect([Kind.rename], in: script)[0], Self.permissionDenied, "Permission denied"))
    // It is put aside, in case it is there; and is not.
    script.answer(.status(try expect([Kind.rename], in: script)[0], Self.permissionDenied, "Permission denied"))
    // Nor can it be written in place.
    let last = try expect([Kind.remove, Kind.open], in: script)
    script.answer(.status(last[1], Self.permissionDenied, "Permission denied"))
    let message = script.failure?.localizedDescription ?? ""
    #expect(script.failure?.code == .cannotMoveFile)
    #expect(message.contains("refused to rename /.f.") && message.contains(".part to /f"), "\(message)")
    #expect(!message.contains("read") && !message.contains("in place"), "\(message)")
    script.answer(.status(last[0], 0))
    #expect(uploads.urls.isEmpty)
  }

  /// What the server does not confirm to have removed may be there.
  @Test func aTemporaryFileThatStaysIsRemembered() throws {
    let script = try upload()
    let begun = try expect([Kind.lstat, Kind.open], in: script)
    script.answer(.handle(begun[1], [9]))
    script.answer(.attributes(begun[0], size: 0, permissions: 0o040755, time: 5))
    let sent = try expect([Kind.close, Kind.remove], in: script)
    script.answer(.status(sent[1], Self.permissionDenied))
    #expect(uploads.urls.count == 1)
    #expect(uploads.urls.first?.absoluteString.hasPrefix("sftp://host/.f.") == true)
  }

  /// Many servers answer `realpath` with the path that they were asked about.
  @Test func aLinkIsFollowedWhereTheServerOnlyTidiesPaths() throws {
    let script = try upload()
    let begun = try expect([Kind.lstat, Kind.open], in: script)
    script.answer(.attributes(begun[0], permissions: 0o120777, user: 1, group: 2))
    let realpath = try expect([Kind.realpath], in: script)
    script.answer(.handle(begun[1], [9]))
    for request in try expect([Kind.close, Kind.remove], in: script) { script.answer(.status(request, 0)) }
    script.answer(name("/f", for: realpath[0]))
    script.answer(.attributes(try expect([Kind.lstat], in: script)[0], permissions: 0o120777, user: 1, group: 2))
    script.answer(name("d/g", for: try expect([Kind.readlink], in: script)[0]))
    script.answer(.attributes(try expect([Kind.lstat], in: script)[0], permissions: 0o100644, user: 1, group: 2))
    script.answer(.handle(try expect([Kind.open], in: script)[0], [9]))
    #expect(uploads.urls.first?.absoluteString.hasPrefix("sftp://host/d/.g.") == true)
    script.answer(.attributes(try expect([Kind.fstat], in: script)[0], permissions: 0o100644, user: 1, group: 2))
    for request in try expect([Kind.fsetstat, Kind.write, Kind.close], in: script) {
      script.answer(.status(request, 0))
    }
    script.answer(.status(try expect([Kind.rename], in: script)[0], 0))
    #expect(script.hasFinished)
  }

  @Test func whatALinkHidesIsWrittenThroughIt() throws {
    let script = try upload()
    let begun = try expect([Kind.lstat, Kind.open], in: script)
    script.answer(.attributes(begun[0], permissions: 0o120777, user: 1, group: 2))
    script.answer(.status(begun[1], Self.permissionDenied))
    script.answer(.status(try expect([Kind.realpath], in: script)[0], 8))
    script.answer(.attributes(try expect([Kind.lstat], in: script)[0], permissions: 0o120777, user: 1, group: 2))
    script.answer(.status(try expect([Kind.readlink], in: script)[0], 8))
    script.answer(.attributes(try expect([Kind.stat], in: script)[0], permissions: 0o100644, user: 1, group: 2))
    script.answer(.handle(try expect([Kind.open], in: script)[0], [9]))
    for request in try expect([Kind.write, Kind.close], in: script) { script.answer(.status(request, 0)) }
    #expect(script.hasFinished)
  }

  private func name(_ path: String, for identifier: UInt32) -> PacketBytes {
    PacketBytes().byte(104).word(identifier).word(1).string(path).string("").word(0)
  }
}
