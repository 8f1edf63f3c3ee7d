import Foundation
import Testing
import URLLoading

@testable import SFTPProtocol

/// Servers that refuse requests which no load depends on, step by step.
@Suite struct RefusedRequestTests {
  private enum Kind {
    static let open: UInt8 = 3
    static let close: UInt8 = 4
    static let read: UInt8 = 5
    static let write: UInt8 = 6
    static let lstat: UInt8 = 7
    static let fstat: UInt8 = 8
    static let opendir: UInt8 = 11
    static let readdir: UInt8 = 12
    static let remove: UInt8 = 13
    static let realpath: UInt8 = 16
    static let stat: UInt8 = 17
    static let rename: UInt8 = 18
    static let readlink: UInt8 = 19
  }

  private static let noSuchFile: UInt32 = 2
  private static let permissionDenied: UInt32 = 3
  private static let failed: UInt32 = 4
  private static let unsupported: UInt32 = 8

  /// The identifiers of the requests that wait to be sent, which have to be these.
  private func expect(_ kinds: [UInt8], in script: OperationScript) throws -> [UInt32] {
    let requests = script.requests()
    try #require(requests.map(\.type) == kinds)
    return requests.map(\.identifier)
  }

  // MARK: Downloads

  private func download() throws -> OperationScript {
    try OperationScript { url, server, report in
      RemoteDownload(URLRequest(url: url), url: url, path: try RemotePath(of: url), server: server, report: report)
    }
  }

  /// A file of 100 bytes, of which all came, and the question what it is by then.
  private func read() throws -> (script: OperationScript, fstat: UInt32) {
    let script = try download()
    script.answer(.attributes(try expect([Kind.stat], in: script)[0], size: 100, permissions: 0o100644, time: 5))
    script.answer(.handle(try expect([Kind.open], in: script)[0], [7]))
    script.answer(.data(try expect([Kind.read], in: script)[0], [UInt8](1...40)))
    let rest = try expect([Kind.read, Kind.fstat], in: script)
    script.answer(.data(rest[0], [UInt8](41...100)))
    #expect(!script.hasFinished && script.failure == nil)
    return (script, rest[1])
  }

  @Test(arguments: [permissionDenied, failed, unsupported])
  func aFileIsWholeWithoutItsAttributes(status: UInt32) throws {
    let (script, fstat) = try read()
    script.answer(.status(fstat, status))
    #expect(script.hasFinished, "\(String(describing: script.failure))")
    #expect(script.received == Array(1...100))
  }

  @Test(arguments: [(size: UInt64(0), time: UInt32(0)), (0, 9), (100, 0)])
  func attributesThatSayNothingAreNoChange(size: UInt64, time: UInt32) throws {
    let (script, fstat) = try read()
    script.answer(.attributes(fstat, size: size, permissions: 0o100644, time: time))
    #expect(script.hasFinished, "\(String(describing: script.failure))")
  }

  @Test func aServerWithoutAttributesIsReadToTheEnd() throws {
    let script = try download()
    script.answer(.status(try expect([Kind.stat], in: script)[0], Self.unsupported))
    script.answer(.handle(try expect([Kind.open], in: script)[0], [7]))
    script.answer(.data(try expect([Kind.read], in: script)[0], [1, 2]))
    script.answer(.status(try expect([Kind.read], in: script)[0], 1))
    #expect(script.hasFinished && script.received == [1, 2])
  }

  // MARK: Uploads

  private let uploads = UnfinishedUploads(configuration: .ephemeral)

  private func upload(replaces: Bool = true) throws -> OperationScript {
    try OperationScript { [uploads] url, server, report in
      RemoteUpload(
        url: url, path: try RemotePath(of: url), replaces: replaces,
        content: .body(UploadBodyReader(.data(Data("new".utf8)))),
        uploads: uploads, server: server, report: report)
    }
  }

  private func expectBody(in script: OperationScript) throws {
    for request in try expect([Kind.write, Kind.close], in: script) {
      #expect(!script.hasFinished)
      script.answer(.status(request, 0))
    }
  }

  private func expectInPlace(_ script: OperationScript) throws {
    script.answer(.handle(try expect([Kind.open], in: script)[0], [3]))
    try expectBody(in: script)
    #expect(script.hasFinished, "\(String(describing: script.failure))")
    #expect(uploads.urls.isEmpty)
  }

  @Test(arguments: [permissionDenied, failed, unsupported])
  func aMissingFileMayBeAnyFailure(status: UInt32) throws {
    let script = try upload()
    let begun = try expect([Kind.lstat, Kind.open], in: script)
    script.answer(.handle(begun[1], [9]))
    script.answer(.status(begun[0], status))
    script.answer(.status(try expect([Kind.stat], in: script)[0], status))
    try expectBody(in: script)
    script.answer(.status(try expect([Kind.rename], in: script)[0], 0))
    #expect(script.hasFinished)
  }

  @Test func aDirectoryIsOneWithoutLSTAT() throws {
    let script = try upload()
    let begun = try expect([Kind.lstat, Kind.open], in: script)
    script.answer(.status(begun[1], Self.permissionDenied))
    script.answer(.status(begun[0], Self.unsupported))
    script.answer(.attributes(try expect([Kind.stat], in: script)[0], size: 0, permissions: 0o040755, time: 5))
    #expect(script.failure?.code == .fileIsDirectory)
  }

  @Test(arguments: [noSuchFile, permissionDenied, failed, unsupported])
  func whereNoTemporaryFileCanBeMadeTheTargetIsWritten(status: UInt32) throws {
    let script = try upload()
    let begun = try expect([Kind.lstat, Kind.open], in: script)
    script.answer(.status(begun[1], status))
    script.answer(.status(begun[0], Self.noSuchFile))
    try expectInPlace(script)
  }

  @Test func aMissingFolderIsStillSaidToBeOne() throws {
    let script = try upload()
    let begun = try expect([Kind.lstat, Kind.open], in: script)
    for request in begun { script.answer(.status(request, Self.noSuchFile)) }
    script.answer(.status(try expect([Kind.open], in: script)[0], Self.noSuchFile))
    #expect(script.failure?.code == .fileDoesNotExist)
    #expect(script.failure?.localizedDescription.contains("no such folder") == true)
  }

  /// Up to the refusal of the new file's name.
  private func refusedName(_ status: UInt32, replaces: Bool = true) throws -> OperationScript {
    let script = try upload(replaces: replaces)
    if replaces {
      let begun = try expect([Kind.lstat, Kind.open], in: script)
      script.answer(.handle(begun[1], [9]))
      script.answer(.status(begun[0], Self.noSuchFile))
    } else {
      script.answer(.status(try expect([Kind.lstat], in: script)[0], Self.noSuchFile))
      script.answer(.handle(try expect([Kind.open], in: script)[0], [9]))
    }
    try expectBody(in: script)
    script.answer(.status(try expect([Kind.rename], in: script)[0], status))
    // The old file is put aside, in case there is one; without `replaces` it is looked for.
    script.answer(.status(try expect([replaces ? Kind.rename : Kind.lstat], in: script)[0], Self.failed))
    return script
  }

  @Test(arguments: [permissionDenied, failed, unsupported], [true, false])
  func whereNothingIsRenamedTheTargetIsWritten(status: UInt32, replaces: Bool) throws {
    let script = try refusedName(status, replaces: replaces)
    let sent = try expect([Kind.remove, Kind.open], in: script)
    script.answer(.status(sent[0], 0))
    script.answer(.handle(sent[1], [3]))
    try expectBody(in: script)
    #expect(script.hasFinished, "\(String(describing: script.failure))")
    #expect(uploads.urls.isEmpty && !script.client.isBusy)
  }

  /// The file that a request must not replace was made meanwhile: its name is taken, in place as by a rename.
  @Test func aFileThatMustStayStaysWhereNothingIsRenamed() throws {
    let script = try refusedName(Self.failed, replaces: false)
    let sent = try expect([Kind.remove, Kind.open], in: script)
    script.answer(.status(sent[0], 0))
    script.answer(.status(sent[1], Self.failed))
    script.answer(.attributes(try expect([Kind.lstat], in: script)[0], size: 1, permissions: 0o100644, time: 5))
    #expect(script.failure?.localizedDescription.contains("the file exists") == true)
  }

  /// A server that renames nothing is not asked twice on one connection.
  @Test func whatIsUnsupportedIsNotAskedAgain() throws {
    let script = try refusedName(Self.unsupported)
    #expect(script.client.refusesRename)
    #expect(try !refusedName(Self.failed).client.refusesRename)
  }

  @Test func aWriteInPlaceThatBreaksOffSaysSo() throws {
    let script = try refusedName(Self.unsupported)
    let sent = try expect([Kind.remove, Kind.open], in: script)
    script.answer(.status(sent[0], 0))
    script.answer(.handle(sent[1], [3]))
    script.answer(.status(try expect([Kind.write, Kind.close], in: script)[0], Self.failed))
    let message = script.failure?.localizedDescription ?? ""
    #expect(message.contains("written in place") && message.contains("not whole"), "\(message)")
    #expect(uploads.urls.map(\.absoluteString) == ["sftp://host/f"])
  }

  /// A link whose end nothing is said about is written through.
  @Test func aLinkThatNothingIsSaidAboutIsWrittenThrough() throws {
    let script = try upload()
    let begun = try expect([Kind.lstat, Kind.open], in: script)
    script.answer(.attributes(begun[0], permissions: 0o120777, user: 1, group: 2))
    script.answer(.status(begun[1], Self.permissionDenied))
    script.answer(.status(try expect([Kind.realpath], in: script)[0], Self.unsupported))
    script.answer(.status(try expect([Kind.lstat], in: script)[0], Self.failed))
    script.answer(.status(try expect([Kind.stat], in: script)[0], Self.failed))
    try expectInPlace(script)
  }

  // MARK: Listings

  /// OpenSSH's client takes a reply without names for the end as well.
  @Test func noNamesAreTheEnd() throws {
    let script = try OperationScript(name: "d/") { url, server, report in
      RemoteListing(url: url, path: try RemotePath(of: url), server: server, report: report)
    }
    script.answer(.handle(try expect([Kind.opendir], in: script)[0], [7]))
    script.answer(PacketBytes().byte(104).word(try expect([Kind.readdir], in: script)[0]).word(0))
    #expect(script.hasFinished)
  }
}
