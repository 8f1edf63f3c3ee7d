import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

/// Negotiate with a KDC that takes requests and says nothing: GSS-API blocks for a minute and a half then, and nobody but the loads
/// that want its tokens may notice.
@Suite(.timeLimit(.minutes(4))) struct SilentKDCTests {
  /// 1,000 loads wait for a token of one host. They take part neither in the threads of other loads, nor in more than one question to the
  /// KDC; they end when they are cancelled, or at their time limit.
  @Test(.enabled(if: KerberosRealm.obstacle == nil)) func stallsNobodyElse() async throws {
    let count = 1000
    let realm = try await KerberosRealm.start()
    let center = try SilentKDC()
    let login = try ScriptedServer.http { _ in HTTPResponse(401, fields: ["WWW-Authenticate": "Negotiate"]) }
    let other = try ScriptedServer.http { _ in HTTPResponse(text: "other") }
    let directory = try TemporaryDirectory("silent-kdc")
    let file = try directory.write("file.txt", "file")
    let worker = try DownloadWorker(
      ["silent-kdc", "http://localhost:\(login.port)/", other.url().absoluteString, file.path, String(count)],
      in: directory, environment: try realm.environment(withKDCsOn: center.ports))
    #expect(await worker.process.waitForExit(timeout: .seconds(60)) == .exited(0))
    let (timedOut, cancelled) = (URLError.Code.timedOut.rawValue, URLError.Code.cancelled.rawValue)
    let expected = [
      "challenged \(count)", "others 64 64 64", "timed out \(timedOut)", "cancelled \(cancelled)", "ended 1",
      "all cancelled \(count - 1)",
    ]
    #expect(worker.lines == expected)
    // It was asked for the service's ticket, once for all of them.
    #expect(center.requestCount == 1)
    await login.stop()
    await other.stop()
    await realm.stop()
  }
}
