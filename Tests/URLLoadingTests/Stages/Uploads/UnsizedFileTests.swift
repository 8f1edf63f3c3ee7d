import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

/// Uploads of the kernel's files, whose size says nothing.
@Suite(.timeLimit(.minutes(4))) struct UnsizedFileTests {
  /// One of size 0, and one of a page's.
  private static let paths = ["/proc/version", "/sys/kernel/mm/transparent_hugepage/enabled"]

  private func contents(_ path: String) throws -> Data {
    let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
    defer { try? handle.close() }
    return try #require(try handle.readToEnd())
  }

  private func bodyServer(_ body: Watched<Data>) throws -> ScriptedServer {
    try ScriptedServer { connection in
      guard let request = try connection.readRequest() else { return }
      body.update { $0 = request.body }
      try connection.send("HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok")
    }
  }

  @Test(arguments: paths) func allOfItIsSent(path: String) async throws {
    let body = Watched(Data())
    let server = try bodyServer(body)
    let client = RecordedSession()
    var request = URLRequest(url: server.url())
    request.httpMethod = "PUT"
    let task = client.session.uploadTask(with: request, fromFile: URL(fileURLWithPath: path))
    let record = await client.run(task)
    #expect(record.status == 200, "\(record)")
    #expect(try body.value == contents(path) && !body.value.isEmpty)
  }

  /// More than is read at once.
  @Test func aLongOneIsSentAsItIsRead() async throws {
    let path = "/proc/kallsyms"
    let expected = try contents(path)
    let body = Watched(Data())
    let server = try bodyServer(body)
    let client = RecordedSession()
    var request = URLRequest(url: server.url())
    request.httpMethod = "PUT"
    let record = await client.run(client.session.uploadTask(with: request, fromFile: URL(fileURLWithPath: path)))
    #expect(record.status == 200, "\(record)")
    #expect(body.value == expected)
  }

  @Test(arguments: paths) func aFormHasAllOfIt(path: String) throws {
    var form = MultipartFormData()
    try form.append(contentsOf: URL(fileURLWithPath: path), named: "a")
    let folder = try TemporaryDirectory("form")
    try form.write(to: folder.file("form"))
    let whole = try Data(contentsOf: folder.file("form"))
    #expect(Int64(whole.count) == form.length)
    #expect(try whole.range(of: contents(path)) != nil)
  }

  @Test func otherFilesHaveASize() throws {
    let folder = try TemporaryDirectory("sized")
    for count in [0, 1, Int(getpagesize())] {
      let file = try folder.write("file", Data(count: count))
      #expect(!UploadSource.lacksLength(file))
    }
    for path in Self.paths { #expect(UploadSource.lacksLength(URL(fileURLWithPath: path))) }
  }
}
