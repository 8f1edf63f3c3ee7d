import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// The built-in schemes, by every kind of task.
@Suite(.timeLimit(.minutes(4))) struct SchemesTests {
  private let data = URL(stringLiteral: "data:text/plain;base64,aGVsbG8=")

  @Test(arguments: TaskKind.allCases) func dataURLs(_ kind: TaskKind) async {
    let record = await RecordedSession().load(data, by: kind)
    #expect(record.text == "hello" && record.error == nil && record.completions == 1)
    #expect(record.response?.mimeType == "text/plain" && record.response?.expectedContentLength == 5)
  }

  @Test(arguments: TaskKind.allCases) func files(_ kind: TaskKind) async throws {
    let folder = try TemporaryDirectory()
    let body = TestFiles.pattern(count: 3_000_000)
    let file = try folder.write("a file.bin", body)
    let record = await RecordedSession().load(file, by: kind)
    #expect(record.body == body && record.error == nil && record.completions == 1)
    #expect(record.response?.expectedContentLength == 3_000_000)
  }

  @Test(arguments: TaskKind.allCases) func emptyFiles(_ kind: TaskKind) async throws {
    let folder = try TemporaryDirectory()
    let record = await RecordedSession().load(try folder.write("empty", ""), by: kind)
    #expect(record.body.isEmpty && record.error == nil && record.response != nil)
  }

  @Test(arguments: TaskKind.allCases) func ftp(_ kind: TaskKind) async throws {
    let record = await RecordedSession().load(try await FTPServer.shared.url("/small.txt"), by: kind)
    #expect(record.body == DocumentRoot.small && record.error == nil && record.completions == 1)
    #expect(record.response?.expectedContentLength == Int64(DocumentRoot.small.count))
  }

  @Test(arguments: TaskKind.allCases) func http(_ kind: TaskKind) async throws {
    let record = await RecordedSession().load(try await NginxServer.shared.url("/small.txt"), by: kind)
    #expect(record.body == DocumentRoot.small && record.error == nil && record.completions == 1)
    #expect(record.status == 200)
  }

  @Test(arguments: TaskKind.allCases) func missingResourcesFail(_ kind: TaskKind) async throws {
    let session = RecordedSession()
    #expect(await session.load(URL(fileURLWithPath: "/no/such/file"), by: kind).code == .fileDoesNotExist)
    #expect(await session.load(URL(fileURLWithPath: "/tmp"), by: kind).code == .fileIsDirectory)
    #expect(await session.load(try await FTPServer.shared.url("/missing.txt"), by: kind).code == .fileDoesNotExist)
    let http = await session.load(try await NginxServer.shared.url("/missing.txt"), by: kind)
    #expect(http.error == nil && http.status == 404)
  }

  @Test(arguments: UploadKind.allCases) func uploadsToFiles(_ kind: UploadKind) async throws {
    let folder = try TemporaryDirectory()
    let target = folder.file("target")
    let body = TestFiles.pattern(count: 700_000)
    let record = try await RecordedSession().upload(body, to: URLRequest(url: target), by: kind)
    #expect(record.error == nil && record.completions == 1)
    let isSame = try Data(contentsOf: target) == body
    #expect(isSame)
  }

  @Test(arguments: UploadKind.allCases) func uploadsToFTP(_ kind: UploadKind) async throws {
    let server = try await FTPServer.shared
    let name = "upload-\(kind)-\(UUID()).bin"
    let body = TestFiles.pattern(count: 700_000)
    let url = server.url("/\(name)", user: FTPServer.user, password: FTPServer.password)
    let record = try await RecordedSession().upload(body, to: URLRequest(url: url), by: kind)
    #expect(record.error == nil && record.completions == 1)
    let isSame = try Data(contentsOf: server.documentRoot.appendingPathComponent(name)) == body
    #expect(isSame)
  }

  @Test(arguments: UploadKind.allCases) func uploadsToHTTP(_ kind: UploadKind) async throws {
    let server = try await NginxServer.shared
    let name = "tasks-\(kind)-\(UUID()).bin"
    let body = TestFiles.pattern(count: 700_000)
    var request = URLRequest(url: server.url("/upload/\(name)"))
    request.httpMethod = "PUT"
    let record = try await RecordedSession().upload(body, to: request, by: kind)
    #expect(record.error == nil && record.status == 201)
    let stored = await RecordedSession().load(server.url("/upload/\(name)"))
    #expect(stored.error == nil && stored.status == 200, "\(String(describing: stored.error))")
    // Not compared by the expectation: what it shows of a difference takes hours with this many bytes.
    let isSame = stored.body == body
    #expect(isSame, "\(stored.body.count) bytes")
  }

  @Test(arguments: TaskKind.allCases) func rangesWorkForEveryScheme(_ kind: TaskKind) async throws {
    let nginx = try await NginxServer.shared
    let ftp = try await FTPServer.shared
    let urls = [
      nginx.url("/small.txt"), ftp.url("/small.txt"), nginx.documentRoot.appendingPathComponent("small.txt"),
      try #require(URL(string: "data:;base64,\(DocumentRoot.small.base64EncodedString())")),
    ]
    for url in urls {
      var request = URLRequest(url: url)
      request.setValue("bytes=10-29", forHTTPHeaderField: "Range")
      let record = await RecordedSession().load(request, by: kind)
      #expect(record.body == DocumentRoot.small[10..<30], "\(url.scheme ?? "")")
      #expect(record.response?.contentRange?.firstByte == 10, "\(url.scheme ?? "")")
    }
  }
}
