import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

/// Metrics on their way from the transfer service to a program.
@Suite struct BackgroundMetricsTests {
  private let start = Date(timeIntervalSinceReferenceDate: 800_000_000.125)

  private func transaction(_ path: String, fieldBytes: Int = 0) throws -> URLSessionTaskTransactionMetrics {
    let url = try #require(URL(string: "https://example.org\(path)"))
    var request = URLRequest(url: url)
    request.httpMethod = "POST"
    request.httpBody = Data("secret body".utf8)
    request.setValue("Bearer secret", forHTTPHeaderField: "Authorization")
    request.setValue("a/b", forHTTPHeaderField: "Accept")
    if fieldBytes > 0 { request.setValue(String(repeating: "x", count: fieldBytes), forHTTPHeaderField: "X-Long") }
    let metrics = URLSessionTaskTransactionMetrics(request: request)
    metrics.response = HTTPURLResponse(url: url, statusCode: 201, httpVersion: nil, headerFields: nil)
    metrics.fetchStartDate = start
    metrics.domainLookupStartDate = start + 1
    metrics.connectEndDate = start + 2
    metrics.responseEndDate = start + 3
    metrics.networkProtocolName = "h2"
    metrics.isReusedConnection = true
    metrics.isProxyConnection = true
    metrics.resourceFetchType = .networkLoad
    metrics.domainResolutionProtocol = .udp
    metrics.countOfRequestHeaderBytesSent = 1
    metrics.countOfResponseBodyBytesAfterDecoding = 6
    metrics.localAddress = "127.0.0.1"
    metrics.remotePort = "443"
    metrics.negotiatedTLSProtocolVersion = .TLSv13
    metrics.negotiatedTLSCipherSuite = .AES_128_GCM_SHA256
    metrics.weakenedChecks = [
      URLSessionTaskTransactionMetrics.WeakenedCheck(
        check: .hostName, reason: "another host's", cause: .delegate, isOfProxy: false)
    ]
    metrics.sentRequestHead = "POST / HTTP/2\r\nAuthorization: Bearer secret\r\n"
    return metrics
  }

  private func metrics(_ transactions: [URLSessionTaskTransactionMetrics], after seconds: Double = 0)
    -> BackgroundMetrics
  {
    BackgroundMetrics(
      URLSessionTaskMetrics(
        transactionMetrics: transactions, taskInterval: DateInterval(start: start + seconds, duration: 5),
        redirectCount: 1))
  }

  @Test func theyArriveAsTheyWereButForSecrets() throws {
    let sent = metrics([try transaction("/a")]).compactData
    let received = try #require(BackgroundMetrics(compact: sent)?.taskMetrics)
    #expect(received.taskInterval == DateInterval(start: start, duration: 5))
    #expect(received.redirectCount == 1)
    let copy = try #require(received.transactionMetrics.first)
    #expect(copy.request.url?.path == "/a" && copy.request.httpMethod == "POST")
    #expect(copy.request.allHTTPHeaderFields == ["Accept": "a/b"])
    #expect(copy.request.httpBody == nil && copy.sentRequestHead == nil)
    #expect((copy.response as? HTTPURLResponse)?.statusCode == 201)
    #expect(copy.fetchStartDate == start && copy.domainLookupStartDate == start + 1)
    #expect(copy.domainLookupEndDate == nil && copy.connectEndDate == start + 2 && copy.responseEndDate == start + 3)
    #expect(copy.networkProtocolName == "h2" && copy.isReusedConnection && copy.isProxyConnection)
    #expect(copy.resourceFetchType == .networkLoad && copy.domainResolutionProtocol == .udp)
    #expect(copy.countOfRequestHeaderBytesSent == 1 && copy.countOfResponseBodyBytesAfterDecoding == 6)
    #expect(copy.localAddress == "127.0.0.1" && copy.localPort == nil && copy.remotePort == "443")
    #expect(copy.negotiatedTLSProtocolVersion == .TLSv13 && copy.negotiatedTLSCipherSuite == .AES_128_GCM_SHA256)
    #expect(copy.weakenedChecks.map(\.check) == [.hostName] && copy.weakenedChecks.first?.reason == "another host's")
  }

  @Test func severalArriveWhole() throws {
    let sent = metrics([try transaction("/a"), try transaction("/b")])
    let data = sent.compactData
    let received = try #require(BackgroundMetrics(compact: data))
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    #expect(try encoder.encode(received) == encoder.encode(sent))
    #expect(received.taskMetrics?.transactionMetrics.map(\.request.url?.path) == ["/a", "/b"])
    for length in 0..<data.count { #expect(BackgroundMetrics(compact: data.prefix(length)) == nil, "\(length)") }
  }

  @Test func damagedOnesEndNothing() throws {
    var random = SeededGenerator(seed: 34)
    let whole = metrics([try transaction("/a")])
    let data = whole.compactData
    for round in 0..<5000 {
      var damaged = data
      for _ in 0..<3 {
        damaged[Int.random(in: 0..<data.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      guard let read = BackgroundMetrics(compact: damaged) else { continue }
      let both = whole.following(read)
      #expect(both.transactions.count <= 2, "round \(round)")
      _ = both.taskMetrics
    }
  }

  @Test func thoseOfAllTriesAreTogether() throws {
    let first = metrics([try transaction("/a")])
    let both = metrics([try transaction("/b")], after: 10).following(first)
    let all = try #require(both.taskMetrics)
    #expect(all.transactionMetrics.map(\.request.url?.path) == ["/a", "/b"])
    #expect(all.taskInterval == DateInterval(start: start, duration: 15) && all.redirectCount == 2)
  }

  @Test func theLastAreKeptOfMany() throws {
    var all = metrics([try transaction("/0")])
    for number in 1...40 { all = metrics([try transaction("/\(number)")]).following(all) }
    let paths = try #require(all.taskMetrics).transactionMetrics.map(\.request.url?.path)
    #expect(paths == (25...40).map { "/\($0)" })
  }

  /// The end of a task, which they are told with, has to fit into one message.
  @Test func largeOnesAreLeftOut() throws {
    let large = try transaction("/large", fieldBytes: 200_000)
    #expect(metrics([large]).taskMetrics == nil)
    let both = metrics([large, try transaction("/small")])
    #expect(both.taskMetrics?.transactionMetrics.map(\.request.url?.path) == ["/small"])
  }
}
