import Foundation
import Testing
import URLLoadingBase
import URLLoadingTestServers

@testable import URLLoading

/// Forms in parts: their bytes, and that they are sent again where a load needs them again.
@Suite struct MultipartFormDataTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory("form") }

  private static func bytes(of stream: InputStream) throws -> Data {
    stream.open()
    defer { stream.close() }
    var data = Data()
    var buffer = [UInt8](repeating: 0, count: 7)
    while true {
      let count = stream.read(&buffer, maxLength: buffer.count)
      if count < 0 { throw stream.streamError ?? CocoaError(.fileReadUnknown) }
      if count == 0 { return data }
      data.append(contentsOf: buffer[..<count])
    }
  }

  private func form() throws -> MultipartFormData {
    var form = MultipartFormData()
    form.append("Süd", named: "a \"b\"\r\n")
    form.append(Data(), named: "empty", fileName: "e.bin")
    try form.append(contentsOf: folder.write("x.png", Data("12345".utf8)), named: "file")
    return form
  }

  private func expected(_ form: MultipartFormData) -> String {
    """
    --\(form.boundary)
    Content-Disposition: form-data; name="a %22b%22%0D%0A"

    Süd
    --\(form.boundary)
    Content-Disposition: form-data; name="empty"; filename="e.bin"


    --\(form.boundary)
    Content-Disposition: form-data; name="file"; filename="x.png"
    Content-Type: image/png

    12345
    --\(form.boundary)--

    """.replacing("\n", with: "\r\n")
  }

  @Test func theBodyIsAsBrowsersWriteIt() throws {
    let form = try form()
    let body = try Self.bytes(of: form.makeInputStream())
    #expect(String(decoding: body, as: UTF8.self) == expected(form))
    #expect(form.length == Int64(body.count))
    let file = folder.file("whole")
    try form.write(to: file)
    #expect(try Data(contentsOf: file) == body)
    #expect(try form.boundary != self.form().boundary)
  }

  @Test func aBodyBeginsAnywhere() throws {
    let form = try form()
    let body = try Self.bytes(of: form.makeInputStream())
    for start in 0...body.count {
      #expect(
        try Self.bytes(of: MultipartInputStream(form.pieces, from: Int64(start))) == body.dropFirst(start), "\(start)")
    }
  }

  @Test func aSpoolIsReadFromAnywhereAndAValueHasNoFileName() throws {
    var form = MultipartFormData()
    let spool = try SpoolFile(directory: folder.path)
    try Data("12345".utf8).withUnsafeBytes { try spool.write($0, at: 0) }
    form.append(spool, length: 5, named: "spool", fileName: "s")
    try form.append(valueOf: folder.write("x.png", Data("value".utf8)), named: "value")
    let body = try Self.bytes(of: form.makeInputStream())
    let expected = """
      --\(form.boundary)
      Content-Disposition: form-data; name="spool"; filename="s"

      12345
      --\(form.boundary)
      Content-Disposition: form-data; name="value"

      value
      --\(form.boundary)--

      """
    #expect(String(decoding: body, as: UTF8.self) == expected.replacing("\n", with: "\r\n"))
    #expect(form.length == Int64(body.count))
    for start in 0...body.count {
      #expect(
        try Self.bytes(of: MultipartInputStream(form.pieces, from: Int64(start))) == body.dropFirst(start), "\(start)")
    }
    // What the spool does not have cannot be sent.
    form.append(spool, length: 6, named: "more")
    #expect(throws: SpoolFile.Failure.self) { try Self.bytes(of: form.makeInputStream()) }
  }

  @Test func aLineEndInATypeAddsNoField() throws {
    var form = MultipartFormData()
    form.append(Data(), named: "a", contentType: "a/b\r\nX-Evil: 1")
    let text = String(decoding: try Self.bytes(of: form.makeInputStream()), as: UTF8.self)
    #expect(text.contains("Content-Type: a/bX-Evil: 1\r\n"))
  }

  @Test func whatCannotBeReadIsRefusedAtOnce() throws {
    var form = MultipartFormData()
    for file in [folder.file("none"), folder.url, URL(fileURLWithPath: "/dev/null")] {
      let error = #expect(throws: URLError.self) { try form.append(contentsOf: file, named: "x") }
      #expect(error?.code == .fileDoesNotExist)
    }
    #expect(form.length == Int64("--\(form.boundary)--\r\n".utf8.count))
  }

  @Test func aFileInPlaceOfTheFormIsWrittenWhole() throws {
    var form = MultipartFormData()
    let source = try folder.write("source", Data("content".utf8))
    try form.append(contentsOf: source, named: "file")
    let body = try Self.bytes(of: form.makeInputStream())
    try form.write(to: source)
    #expect(try Data(contentsOf: source) == body)
    #expect(
      try FileManager.default.attributesOfItem(atPath: source.path)[.posixPermissions] as? Int == 0o600)
    // The source has changed by that: what was there stays.
    #expect(throws: (any Error).self) { try form.write(to: source) }
    #expect(try Data(contentsOf: source) == body)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["source"])
  }

  @Test func aFileThatWasEmptyIsCheckedAsWell() throws {
    var form = MultipartFormData()
    try form.append(contentsOf: folder.write("log", Data()), named: "log")
    #expect(try Self.bytes(of: form.makeInputStream()).count == Int(form.length))
    try folder.write("log", Data("line".utf8))
    #expect(throws: (any Error).self) { try Self.bytes(of: form.makeInputStream()) }
  }

  @Test func anUploadIsNotResumedWithAnotherFileOfTheLength() throws {
    let form = try form()
    let body = UploadBody(.form(form))
    #expect(body.failure == nil)
    try folder.write("x.png", Data("54321".utf8))
    #expect(try #require(body.failure).words.contains(folder.file("x.png").path))
  }

  @Test(arguments: ["1234", "123456", "54321", nil])
  func aFileThatHasChangedFailsTheLoad(_ content: String?) async throws {
    let form = try form()
    if let content { try folder.write("x.png", Data(content.utf8)) } else { unlink(folder.file("x.png").path) }
    #expect(throws: (any Error).self) { try Self.bytes(of: form.makeInputStream()) }
    let complete = Watched(0)
    let server = try ScriptedServer.http { _ in
      complete.update { $0 += 1 }
      return HTTPResponse(text: "ok")
    }
    await #expect(throws: (any Error).self) {
      try await URLSession.shared.upload(for: URLRequest(url: server.url("/")), from: form)
    }
    #expect(complete.value == 0)
  }

  /// A redirect that keeps the method, and a challenge, need the body again; no delegate has to give it.
  @Test func theBodyIsSentAsOftenAsItIsNeeded() async throws {
    let server = try ScriptedServer.http { request in
      if request.path == "/moved" { return HTTPResponse(307, fields: ["Location": "/login"]) }
      guard request.fields["Authorization"] != nil else {
        return HTTPResponse(401, fields: ["WWW-Authenticate": "Basic realm=\"r\""])
      }
      return HTTPResponse(
        fields: ["X-Type": request.fields["Content-Type"] ?? "", "X-Length": request.fields["Content-Length"] ?? ""],
        body: request.body)
    }
    let form = try form()
    var url = URLComponents(url: server.url("/moved"), resolvingAgainstBaseURL: false)
    url?.user = "me"
    url?.password = "secret"
    let session = URLSession(configuration: .ephemeral)
    let request = URLRequest(url: try #require(url?.url))
    let (data, response) = try await session.upload(for: request, from: form)
    let answer = try #require(response as? HTTPURLResponse)
    #expect(answer.statusCode == 200)
    #expect(String(decoding: data, as: UTF8.self) == expected(form))
    #expect(answer.value(forHTTPHeaderField: "X-Type") == form.contentType)
    #expect(answer.value(forHTTPHeaderField: "X-Length") == "\(form.length)")
    session.invalidateAndCancel()
  }

  @Test func aLargeFileArrivesWhole() async throws {
    let file = folder.file("large")
    #expect(FileManager.default.createFile(atPath: file.path, contents: nil))
    truncate(file.path, 200 << 20)
    var form = MultipartFormData()
    try form.append(contentsOf: file, named: "large")
    let server = try ScriptedServer { connection in
      guard let head = try connection.readRequestHead() else { return }
      var rest = Int(head.fields["Content-Length"] ?? "") ?? 0
      while rest > 0, case let data = try connection.readSome(1 << 20), !data.isEmpty { rest -= data.count }
      try connection.send(HTTPResponse(text: "\(rest)"))
    }
    let (data, _) = try await URLSession.shared.upload(for: URLRequest(url: server.url("/")), from: form)
    #expect(data == Data("0".utf8))
  }
}
