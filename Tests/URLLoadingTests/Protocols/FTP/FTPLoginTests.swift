import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// Users, uploads and TLS over FTP.
@Suite(.timeLimit(.minutes(4))) struct FTPLoginTests {
  private let session = URLSession(configuration: .ephemeral)
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory("login")
  }

  @Test func userAndPasswordFromTheURL() async throws {
    let server = try await FTPServer.shared
    let url = server.url(user: FTPServer.user, password: FTPServer.password)
    #expect(try await session.data(from: url).0 == DocumentRoot.small)
    #expect(await server.waitForLog("USER '\(FTPServer.user)' logged in"))
  }

  @Test func userAndPasswordByChallenge() async throws {
    var options = FTPServer.Options()
    options.allowsAnonymous = false
    let server = try await FTPServer.start(options: options)
    let delegate = Answerer([("user", "wrong"), (FTPServer.user, FTPServer.password)])
    #expect(try await session.data(from: server.url(), delegate: delegate).0 == DocumentRoot.small)
    let challenges = delegate.challenges.value
    #expect(challenges.count == 2)
    #expect(challenges.first?.space.protocol == NSURLProtectionSpaceFTP)
    #expect(challenges.first?.space.port == Int(server.port))
    #expect(challenges.map(\.failures) == [0, 1])
    await server.stop()
  }

  @Test func refusedLoginAndMissingFileAreToldApart() async throws {
    var options = FTPServer.Options()
    options.allowsAnonymous = false
    let server = try await FTPServer.start(options: options)
    let refused = try await #require(throws: URLError.self) { try await session.data(from: server.url()) }
    #expect(refused.code == .userAuthenticationRequired)
    let wrong = try await #require(throws: URLError.self) {
      try await session.data(from: server.url(user: "user", password: "wrong"))
    }
    #expect(wrong.code == .userAuthenticationRequired)
    #expect(!wrong.localizedDescription.contains("wrong"))
    let missing = try await #require(throws: URLError.self) {
      try await session.data(from: server.url("/missing", user: FTPServer.user, password: FTPServer.password))
    }
    #expect(missing.code == .fileDoesNotExist)
    await server.stop()
  }

  @Test func uploadStoresDataAndFiles() async throws {
    let server = try await FTPServer.start()
    let body = TestFiles.pattern(count: 2_000_003)
    let source = try directory.write("source", body)
    let url = server.url("/up.bin", user: FTPServer.user, password: FTPServer.password)
    let stored = server.documentRoot.appendingPathComponent("up.bin")
    _ = try await session.upload(for: URLRequest(url: url), from: body)
    #expect(try difference(Data(contentsOf: stored), from: body) == nil)
    _ = try await session.upload(for: URLRequest(url: url), from: Data("short".utf8))
    #expect(try Data(contentsOf: stored) == Data("short".utf8))
    let recorder = DownloadRecorder(directory)
    let delegated = URLSession(configuration: .ephemeral, delegate: recorder, delegateQueue: nil)
    defer { delegated.invalidateAndCancel() }
    let task = delegated.uploadTask(with: URLRequest(url: url), fromFile: source)
    task.resume()
    let log = try #require(await recorder.completed())
    #expect(log.error == nil)
    #expect(task.countOfBytesSent == 2_000_003 && task.countOfBytesExpectedToSend == 2_000_003)
    #expect(try difference(Data(contentsOf: stored), from: body) == nil)
    await server.stop()
  }

  @Test func uploadWithoutPermissionFails() async throws {
    let server = try await FTPServer.shared
    let error = try await #require(throws: URLError.self) {
      try await session.upload(for: URLRequest(url: server.url("/up.bin")), from: Data("x".utf8))
    }
    #expect(error.code == .noPermissionsToReadFile)
    #expect(try await session.data(from: server.url()).0 == DocumentRoot.small)
  }

  // MARK: TLS

  private func secureURL(_ server: FTPServer, _ path: String = "/small.txt", host: String = "127.0.0.1") throws -> URL {
    try #require(URL(string: "ftps://\(host):\(server.port)\(path)"))
  }

  @Test func explicitTLSWithACertificateAuthorityFile() async throws {
    let server = try await FTPServer.secure
    let configuration = URLSessionConfiguration.ephemeral
    configuration.certificateAuthorityFile = try await TestCertificates.shared.authority
    let trusting = URLSession(configuration: configuration)
    defer { trusting.invalidateAndCancel() }
    #expect(try await trusting.data(from: secureURL(server)).0 == DocumentRoot.small)
    let (file, _) = try await trusting.download(from: secureURL(server, "/large.bin"))
    defer { unlink(file.path) }
    #expect(try TestFiles.firstDifference(in: file, count: DocumentRoot.largeSize) == nil)
    var ranged = URLRequest(url: try secureURL(server))
    ranged.setValue("bytes=-24", forHTTPHeaderField: "Range")
    #expect(try await trusting.data(for: ranged).0 == DocumentRoot.small.suffix(24))
  }

  @Test func unknownCertificateAuthorityIsRefused() async throws {
    let server = try await FTPServer.secure
    let error = try await #require(throws: URLError.self) { try await session.data(from: secureURL(server)) }
    #expect(error.code == .serverCertificateUntrusted)
  }

  @Test func serverThatWantsTLSRefusesPlainFTP() async throws {
    let server = try await FTPServer.secure
    let error = try await #require(throws: URLError.self) { try await session.data(from: server.url()) }
    #expect([.userAuthenticationRequired, .secureConnectionFailed].contains(error.code), "\(error)")
  }
}

/// A task delegate that answers challenges with credentials, one after another.
///
/// Mutable state: in the two `Watched` values, which guard it.
private final class Answerer: NSObject, URLSessionTaskDelegate {
  struct Asked: Sendable {
    var space: URLProtectionSpace
    var failures: Int
  }

  let challenges = Watched<[Asked]>([])
  private let credentials: Watched<[(String, String)]>

  init(_ credentials: [(String, String)]) {
    self.credentials = Watched(credentials)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    challenges.update {
      $0.append(Asked(space: challenge.protectionSpace, failures: challenge.previousFailureCount))
    }
    guard let (user, password) = credentials.update({ $0.isEmpty ? nil : $0.removeFirst() }) else {
      return completionHandler(.performDefaultHandling, nil)
    }
    completionHandler(.useCredential, URLCredential(user: user, password: password, persistence: .none))
  }
}
