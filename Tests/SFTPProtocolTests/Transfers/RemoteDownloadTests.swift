import Testing
import URLLoading

@testable import SFTPProtocol

/// Downloads from a server that answers as the test says, step by step.
@Suite struct RemoteDownloadTests {
  private func download() throws -> OperationScript {
    try OperationScript { url, server, report in
      RemoteDownload(URLRequest(url: url), url: url, path: try RemotePath(of: url), server: server, report: report)
    }
  }

  /// A script whose file of 100 bytes was found and opened, and the read that it asks for.
  private func opened() throws -> (script: OperationScript, read: OperationScript.Request) {
    let script = try download()
    let stat = try #require(script.requests().last)
    script.answer(.attributes(stat.identifier, size: 100, permissions: 0o100644, time: 5))
    let open = try #require(script.requests().last)
    #expect(open.type == 3)
    script.answer(.handle(open.identifier, [7]))
    let requests = script.requests()
    #expect(requests.map(\.type) == [5])
    return (script, try #require(requests.last))
  }

  @Test func aSmallFileIsReadByOneRequestAndNotAskedForAgain() throws {
    let (script, read) = try opened()
    #expect(read.readCount == 101)
    script.answer(.data(read.identifier, [UInt8](1...100)))
    #expect(script.received == Array(1...100))
    #expect(script.hasFinished)
    // The handle is closed, and nothing else is asked for.
    #expect(script.requests().map(\.type) == [4])
  }

  @Test func aSmallFileThatGrewIsAnError() throws {
    let (script, read) = try opened()
    script.answer(.data(read.identifier, [UInt8](1...101)))
    #expect(script.failure?.localizedDescription.contains("it grew while it was read") == true)
    #expect(!script.hasFinished)
  }

  @Test func aSmallFileThatShrankIsAnError() throws {
    let (script, read) = try opened()
    script.answer(.data(read.identifier, [UInt8](1...40)))
    let rest = script.requests()
    // The rest, and, because it is not from one moment any more, what the file is by then.
    #expect(rest.map(\.type) == [5, 8])
    #expect(rest.first?.readCount == 60)
    #expect(!script.hasFinished)
    script.answer(.status(rest.first?.identifier ?? 0, 1))
    #expect(script.failure?.localizedDescription.contains("it shrank while it was read") == true)
    #expect(!script.hasFinished)
  }

  @Test func aSmallFileInTwoAnswersIsAskedForAgain() throws {
    let (script, read) = try opened()
    script.answer(.data(read.identifier, [UInt8](1...40)))
    let rest = script.requests()
    script.answer(.data(rest.first?.identifier ?? 0, [UInt8](41...100)))
    #expect(!script.hasFinished)
    script.answer(.attributes(rest.last?.identifier ?? 0, size: 100, permissions: 0o100644, time: 6))
    #expect(script.failure?.localizedDescription.contains("it was changed while it was read") == true)
  }
}
