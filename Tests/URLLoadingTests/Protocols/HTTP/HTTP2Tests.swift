import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// HTTP/2 against nginx.
@Suite(.timeLimit(.minutes(4))) struct HTTP2Tests {
  private static func trusting() async throws -> RecordedSession {
    let authority = try await TestCertificates.shared.authority
    return RecordedSession { $0.certificateAuthorityFile = authority }
  }

  private static func connections(_ texts: [String]) -> Set<Substring> {
    Set(texts.compactMap { $0.split(separator: "\n").first { $0.hasPrefix("connection:") } })
  }

  @Test(arguments: LoadKind.allCases)
  func aHundredRequestsAtOnceUseOneConnection(_ kind: LoadKind) async throws {
    let nginx = try await NginxServer.shared
    let client = try await Self.trusting()
    let texts = await withTaskGroup(of: String.self) { group in
      for number in 0..<100 {
        group.addTask { await client.load(nginx.url("/echo?\(number)", on: .https), as: kind).text }
      }
      var texts: [String] = []
      for await text in group { texts.append(text) }
      return texts
    }
    #expect(texts.count == 100 && texts.allSatisfy { $0.contains("protocol: HTTP/2.0") })
    #expect(Self.connections(texts).count == 1)
  }

  @Test(arguments: LoadKind.allCases)
  func manyRedirectsAtOnceWork(_ kind: LoadKind) async throws {
    let nginx = try await NginxServer.shared
    let client = try await Self.trusting()
    await withTaskGroup(of: LoadRecord.self) { group in
      for number in 0..<50 {
        let to = "/redirect/307?to=/echo/\(number)"
        group.addTask { await client.load(nginx.url("/redirect/302?to=\(to)", on: .https), as: kind) }
      }
      for await record in group {
        #expect(record.status == 200 && record.error == nil && record.text.contains("target: /echo/"))
      }
    }
  }

  @Test func aConnectionThatOnlySpeaksHTTP1IsUsedAsSuch() async throws {
    let nginx = try await NginxServer.shared
    let record = try await Self.trusting().load(nginx.url("/echo", on: .httpsHTTP1))
    #expect(record.text.contains("protocol: HTTP/1.1"))
  }

  @Test func aServerThatGoesAwayIsAnErrorForEveryTask() async throws {
    let nginx = try await NginxServer.start(largeSize: 64 << 20)
    let client = try await Self.trusting()
    let url = nginx.url("/slow/large.bin?rate=100k", on: .https)
    let tasks = (0..<5).map { _ in client.session.dataTask(with: url) }
    for task in tasks { task.resume() }
    let started = await client.recorder.records.wait { $0.count == 5 && $0.values.allSatisfy { $0.response != nil } }
    #expect(started)
    await nginx.stop()
    let ended = await client.recorder.records.wait { $0.values.allSatisfy { $0.completions == 1 } }
    #expect(ended)
    for record in client.recorder.records.value.values {
      #expect(record.code == .networkConnectionLost, "\(String(describing: record.error))")
    }
  }

  @Test func aCancelledStreamLeavesTheOthersAlone() async throws {
    let nginx = try await NginxServer.shared
    let client = try await Self.trusting()
    let cancelled = client.session.dataTask(with: nginx.url("/slow/large.bin?rate=50k", on: .https))
    cancelled.resume()
    let identifier = cancelled.taskIdentifier
    #expect(await client.recorder.records.wait { $0[identifier]?.response != nil })
    async let other = client.load(nginx.url("/slow/small.txt?rate=2k", on: .https))
    cancelled.cancel()
    #expect(await other.body == DocumentRoot.small)
    #expect(client.recorder.record(of: identifier).code == .cancelled)
    let echo = await client.load(nginx.url("/echo", on: .https))
    #expect(echo.status == 200)
  }
}
