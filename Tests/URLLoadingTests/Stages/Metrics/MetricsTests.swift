import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

@Suite(.timeLimit(.minutes(4))) struct MetricsTests {
  @Test func oneTransactionForEachRequestAndRedirect() async throws {
    let nginx = try await NginxServer.shared
    let record = await RecordedSession().load(nginx.url("/redirect/302?to=/redirect/301"))
    let metrics = try #require(record.metrics)
    #expect(metrics.redirectCount == 2)
    #expect(
      metrics.transactionMetrics.map { $0.request.url?.path } == ["/redirect/302", "/redirect/301", "/small.txt"])
    #expect(metrics.transactionMetrics.map { ($0.response as? HTTPURLResponse)?.statusCode } == [302, 301, 200])
    for transaction in metrics.transactionMetrics {
      let dates = [
        transaction.fetchStartDate, transaction.requestStartDate, transaction.responseStartDate,
        transaction.responseEndDate,
      ]
      let known = dates.compactMap { $0 }
      #expect(known.count == 4)
      #expect(known == known.sorted())
      #expect(transaction.resourceFetchType == .networkLoad)
      #expect(transaction.networkProtocolName == "http/1.1")
      #expect(transaction.remotePort == "\(nginx.port())")
    }
    let starts = metrics.transactionMetrics.compactMap(\.fetchStartDate)
    #expect(starts == starts.sorted())
    #expect(metrics.transactionMetrics.last?.countOfResponseBodyBytesReceived == Int64(DocumentRoot.small.count))
    // Where the next request starts before the redirect's body was read to its end, it has a connection of its own.
    for (index, transaction) in metrics.transactionMetrics.enumerated() {
      let port = try #require(transaction.localPort)
      let isKnown = metrics.transactionMetrics[..<index].contains { $0.localPort == port }
      #expect(transaction.isReusedConnection == isKnown, "\(index)")
    }
    #expect(metrics.taskInterval.duration > 0)
  }

  @Test func theyComeOnceAndRightBeforeTheCompletion() async throws {
    let nginx = try await NginxServer.shared
    for url in [
      nginx.url(), URL(stringLiteral: "data:,x"), URL(fileURLWithPath: "/no/such/file"), URL(stringLiteral: "odd:x"),
    ] {
      let events = await RecordedSession().load(url).events
      #expect(events.filter { $0 == "metrics" }.count == 1, "\(url)")
      #expect(events.suffix(2) == ["metrics", "completion"], "\(url)")
    }
  }

  @Test(arguments: TaskKind.allCases) func everyKindOfTaskHasThem(_ kind: TaskKind) async throws {
    let session = RecordedSession()
    let record = await session.load(try await NginxServer.shared.url(), by: kind)
    #expect(record.error == nil)
    #expect(await session.recorder.records.wait { $0.values.contains { $0.metrics != nil } })
    let metrics = session.recorder.records.value.values.compactMap(\.metrics)
    #expect(metrics.count == 1 && metrics.first?.transactionMetrics.count == 1)
  }

  @Test func aFailedTaskHasThem() async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readRequestHead()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
    }
    let record = await RecordedSession().load(server.url())
    #expect(record.code == .networkConnectionLost)
    let transaction = try #require(record.metrics?.transactionMetrics.first)
    #expect((transaction.response as? HTTPURLResponse)?.statusCode == 200)
    #expect(transaction.countOfResponseBodyBytesReceived == 3)
  }

  @Test func aCustomProtocolHasThem() async throws {
    let target = Fake(["target"])
    let fake = Fake { $0.redirect(to: target.url()) }
    let metrics = try #require(await RecordedSession.fake().load(fake.url()).metrics)
    #expect(metrics.transactionMetrics.map { $0.request.url } == [fake.url(), target.url()])
    #expect(metrics.transactionMetrics.last?.countOfResponseBodyBytesReceived == 6)
    #expect(metrics.redirectCount == 1)
  }

  @Test func uploadsCountWhatTheySent() async throws {
    let server = try ScriptedServer.http { _ in HTTPResponse(text: "ok") }
    let session = RecordedSession()
    var request = URLRequest(url: server.url())
    request.httpMethod = "POST"
    let record = try await session.upload(Data(count: 100_000), to: request, by: .dataDelegate)
    #expect(record.metrics?.transactionMetrics.first?.countOfRequestBodyBytesSent == 100_000)
  }
}
