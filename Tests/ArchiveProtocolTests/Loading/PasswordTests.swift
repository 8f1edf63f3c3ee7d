import ArchiveProtocol
import Foundation
import Testing
import URLLoading
import URLLoadingBase
import URLLoadingTestServers

/// Encrypted members ask for their password by a challenge.
@Suite(.timeLimit(.minutes(2))) struct PasswordTests {
  /// Answers with one password after another, then with none.
  private final class Answers: NSObject, URLSessionTaskDelegate {
    let passwords: Locked<[String]>
    let failures = Locked<[Int]>([])

    init(_ passwords: [String]) { self.passwords = Locked(passwords) }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
      completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      failures.withLock { $0.append(challenge.previousFailureCount) }
      let password = passwords.withLock { $0.isEmpty ? nil : $0.removeFirst() }
      guard let password else { return completionHandler(.performDefaultHandling, nil) }
      completionHandler(.useCredential, URLCredential(user: "", password: password, persistence: .none))
    }
  }

  /// Ends well when the first byte tells that "wrong" is wrong.
  private static let refusesWrong = """
    import sys, zipfile
    try:
      zipfile.ZipFile("a.zip").open("secret.txt", pwd=b"wrong")
    except RuntimeError:
      sys.exit(0)
    sys.exit(1)
    """

  /// An archive that tells a wrong password by its first byte, as all but one of 256 do: which it is, is chance.
  private static func archive(_ folder: TemporaryDirectory) async throws -> URL {
    _ = try folder.write("secret.txt", String(repeating: "secret ", count: 1000))
    for _ in 0..<8 {
      try await Command.check("/usr/bin/zip", ["-q", "-P", "right", "a.zip", "secret.txt"], directory: folder.url)
      let outcome = try await Command.run("/usr/bin/python3", ["-c", refusesWrong], directory: folder.url)
      if outcome.status == .exited(0) { break }
      try FileManager.default.removeItem(at: folder.file("a.zip"))
    }
    return folder.file("a.zip")
  }

  @Test func theRightPasswordOpensIt() async throws {
    let folder = try TemporaryDirectory("password")
    let url = try #require(URL(archive: try await Self.archive(folder), member: "secret.txt"))
    let answers = Answers(["wrong", "right"])
    let (data, _) = try await ArchiveSession.make().data(from: url, delegate: answers)
    #expect(data == Data(String(repeating: "secret ", count: 1000).utf8))
    #expect(answers.failures.withLock { $0 } == [0, 1])
  }

  @Test func withoutAPasswordItFails() async throws {
    let folder = try TemporaryDirectory("password")
    let url = try #require(URL(archive: try await Self.archive(folder), member: "secret.txt"))
    let error = try await #require(throws: URLError.self) { try await ArchiveSession.make().data(from: url) }
    #expect(error.code == .userAuthenticationRequired)
    let refused = try await #require(throws: URLError.self) {
      try await ArchiveSession.make().data(from: url, delegate: Answers(["wrong"]))
    }
    #expect(refused.code == .userAuthenticationRequired)
  }
}
