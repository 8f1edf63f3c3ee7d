import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// Uploads to `file:` URLs.
@Suite(.timeLimit(.minutes(4))) struct FileUploadTests {
  private let directory: TemporaryDirectory
  private let session = URLSession(configuration: .ephemeral)

  init() throws {
    directory = try TemporaryDirectory("upload")
  }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
  }

  @Test func dataFilesAndStreamsAreStored() async throws {
    let body = TestFiles.pattern(count: 3_000_001)
    let source = try directory.write("source", body)
    let target = directory.file("target")
    _ = try await session.upload(for: URLRequest(url: target), from: body)
    #expect(try difference(Data(contentsOf: target), from: body) == nil)
    _ = try await session.upload(for: URLRequest(url: target), from: Data())
    #expect(try Data(contentsOf: target).isEmpty)
    _ = try await session.upload(for: URLRequest(url: target), fromFile: source)
    #expect(try difference(Data(contentsOf: target), from: body) == nil)
    var request = URLRequest(url: directory.file("streamed"))
    request.httpBodyStream = InputStream(data: body)
    let recorder = DownloadRecorder(directory)
    let delegated = URLSession(configuration: .ephemeral, delegate: recorder, delegateQueue: nil)
    defer { delegated.invalidateAndCancel() }
    let task = delegated.uploadTask(withStreamedRequest: request)
    task.resume()
    let log = try #require(await recorder.completed())
    #expect(log.error == nil)
    #expect(task.countOfBytesSent == Int64(body.count))
    #expect(try difference(Data(contentsOf: directory.file("streamed")), from: body) == nil)
    #expect(try names() == ["source", "streamed", "target"])
  }

  /// What a link leads to is replaced, be it there or not.
  @Test func linksAreFollowed() async throws {
    let target = try directory.write("target", "old")
    for name in ["target", "new"] { symlink(name, directory.file("to-\(name)").path) }
    for name in ["target", "new"] {
      _ = try await session.upload(for: URLRequest(url: directory.file("to-\(name)")), from: Data(name.utf8))
      #expect(try String(contentsOf: directory.file(name), encoding: .utf8) == name)
      var status = stat()
      #expect(lstat(directory.file("to-\(name)").path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
    }
    #expect(FileManager.default.fileExists(atPath: target.path))
    #expect(try names() == ["new", "target", "to-new", "to-target"])
  }

  @Test(.enabled(if: geteuid() == 0)) func aFileThatIsReplacedKeepsItsOwner() async throws {
    let target = try directory.write("target", "old")
    #expect(chown(target.path, 1234, 4321) == 0)
    _ = try await session.upload(for: URLRequest(url: target), from: Data("new".utf8))
    var status = stat()
    #expect(stat(target.path, &status) == 0 && status.st_uid == 1234 && status.st_gid == 4321)
    #expect(try String(contentsOf: target, encoding: .utf8) == "new")
  }

  @Test func fileKeepsItsOldContentUntilTheUploadIsWhole() async throws {
    let target = try directory.write("target", "old")
    chmod(target.path, 0o640)
    // A body that never comes to its end.
    let pipe = try Pipes()
    defer { pipe.close() }
    var request = URLRequest(url: target)
    request.httpBodyStream = InputStream(fileAtPath: pipe.path)
    let recorder = DownloadRecorder(directory)
    let delegated = URLSession(configuration: .ephemeral, delegate: recorder, delegateQueue: nil)
    defer { delegated.invalidateAndCancel() }
    let task = delegated.uploadTask(withStreamedRequest: request)
    task.resume()
    pipe.write(Data("new".utf8))
    #expect(try await eventually { task.countOfBytesSent == 3 })
    #expect(try String(contentsOf: target, encoding: .utf8) == "old")
    task.cancel()
    #expect(await recorder.completed()?.error?.code == .cancelled)
    pipe.close()
    #expect(try await eventually { try names() == ["target"] }, "a part is left")
    #expect(try String(contentsOf: target, encoding: .utf8) == "old")
    _ = try await session.upload(for: URLRequest(url: target), from: Data("newer".utf8))
    #expect(try String(contentsOf: target, encoding: .utf8) == "newer")
    var status = stat()
    #expect(stat(target.path, &status) == 0 && status.st_mode & 0o777 == 0o640)
  }

  /// Who may not read the old contents must not read the new ones, not even while they come.
  @Test(arguments: [0o600, 0o640, 0o444] as [mode_t])
  func whatReplacesAFileHasItsPermissionsFromTheStart(mode: mode_t) async throws {
    let target = try directory.write("target", "old")
    chmod(target.path, mode)
    let pipe = try Pipes()
    defer { pipe.close() }
    var request = URLRequest(url: target)
    request.httpBodyStream = InputStream(fileAtPath: pipe.path)
    let task = session.uploadTask(withStreamedRequest: request)
    task.resume()
    pipe.write(Data("new".utf8))
    #expect(try await eventually { task.countOfBytesSent == 3 })
    let temporary = try #require(try names().first { $0 != "target" })
    var status = stat()
    #expect(stat(directory.file(temporary).path, &status) == 0 && status.st_size == 3)
    #expect(status.st_mode & 0o777 == mode, "\(String(status.st_mode, radix: 8))")
    pipe.close()
    #expect(try await eventually { try names() == ["target"] })
    #expect(try String(contentsOf: target, encoding: .utf8) == "new")
    #expect(stat(target.path, &status) == 0 && status.st_mode & 0o777 == mode)
  }

  @Test func streamsThatStallHoldUpNobody() async throws {
    let pipes = try (0..<20).map { _ in try Pipes() }
    defer { for pipe in pipes { pipe.close() } }
    let server = try await NginxServer.shared
    for (index, pipe) in pipes.enumerated() {
      let isFile = index % 2 == 0
      var request = URLRequest(url: isFile ? directory.file("stalled\(index)") : server.url("/upload/stalled\(index)"))
      request.httpMethod = "PUT"
      request.httpBodyStream = InputStream(fileAtPath: pipe.path)
      session.uploadTask(withStreamedRequest: request).resume()
    }
    let file = try directory.write("small", "small")
    for _ in 0..<20 {
      #expect(try await session.data(from: file).0 == Data("small".utf8))
    }
    session.invalidateAndCancel()
  }

  @Test func uploadThatCannotBeStoredSaysWhy() async throws {
    for (url, code) in [
      (directory.url, URLError.Code.fileIsDirectory), (directory.file("no/such/folder"), .fileDoesNotExist),
      (URL(fileURLWithPath: "/dev/null"), .noPermissionsToReadFile),
    ] {
      let error = try await #require(throws: URLError.self) {
        try await session.upload(for: URLRequest(url: url), from: Data("x".utf8))
      }
      #expect(error.code == code, "\(url)")
    }
    let missing = try await #require(throws: URLError.self) {
      try await session.upload(for: URLRequest(url: directory.file("t")), fromFile: directory.file("missing"))
    }
    #expect(missing.code == .fileDoesNotExist)
    #expect(try names() == [])
  }
}

/// A pipe whose reader is elsewhere.
///
/// Mutable state: the writing end, in `writer`, which guards it.
private final class Pipes: Sendable {
  let path: String
  private let directory: TemporaryDirectory
  private let writer: Watched<Int32>

  init() throws {
    directory = try TemporaryDirectory("body")
    path = directory.file("pipe").path
    guard mkfifo(path, 0o600) == 0 else { throw TestServerError.system("mkfifo") }
    // With both ends open here neither the reader's open nor ours waits.
    writer = Watched(open(path, O_RDWR | O_CLOEXEC))
  }

  func write(_ data: Data) {
    _ = data.withUnsafeBytes { Glibc.write(writer.value, $0.baseAddress, $0.count) }
  }

  func close() {
    writer.update { descriptor in
      if descriptor >= 0 { Glibc.close(descriptor) }
      descriptor = -1
    }
  }
}
