import Foundation
import Testing

@testable import URLLoading

/// Which part of a request's time is told as what.
@Suite struct HTTPArchiveTimingsTests {
  private static let start = Date(timeIntervalSince1970: 1_000_000_000)

  private func metrics(_ change: (URLSessionTaskTransactionMetrics) -> Void) -> HTTPArchiveTimings {
    let metrics = URLSessionTaskTransactionMetrics(request: URLRequest(url: URL(stringLiteral: "http://h/")))
    change(metrics)
    return HTTPArchiveTimings(metrics)
  }

  /// Milliseconds after the start.
  private func at(_ milliseconds: Double) -> Date { Self.start.addingTimeInterval(milliseconds / 1000) }

  /// A request with every part, each twice as long as the one before.
  private func fill(_ metrics: URLSessionTaskTransactionMetrics) {
    metrics.fetchStartDate = at(0)
    metrics.domainLookupStartDate = at(1)
    metrics.domainLookupEndDate = at(3)
    metrics.connectStartDate = at(3)
    metrics.secureConnectionStartDate = at(5)
    metrics.secureConnectionEndDate = at(7)
    metrics.connectEndDate = at(7)
    metrics.requestStartDate = at(7)
    metrics.requestEndDate = at(15)
    metrics.responseStartDate = at(31)
    metrics.responseEndDate = at(63)
  }

  @Test func everyPart() {
    let timings = metrics(fill)
    #expect(
      [timings.blocked, timings.dns, timings.connect, timings.ssl, timings.send, timings.wait, timings.receive]
        == [1, 2, 4, 2, 8, 16, 32])
    #expect(timings.time == 63)
  }

  @Test func aReusedConnection() {
    let timings = metrics {
      fill($0)
      $0.isReusedConnection = true
    }
    #expect(timings.dns == -1 && timings.connect == -1 && timings.ssl == -1)
    #expect(timings.blocked == 7 && timings.time == 63)
  }

  @Test func whatIsStored() {
    let timings = metrics {
      $0.fetchStartDate = at(0)
      $0.responseStartDate = at(2)
      $0.responseEndDate = at(3)
      $0.resourceFetchType = .localCache
    }
    #expect(timings.blocked == -1 && timings.dns == -1 && timings.connect == -1)
    #expect(timings.send == 0 && timings.wait == 2 && timings.receive == 1 && timings.time == 3)
  }

  @Test func datesThatAreMissingOrGoBackwards() {
    #expect(metrics { _ in }.time == 0)
    let timings = metrics {
      fill($0)
      $0.requestEndDate = at(2)
      $0.responseStartDate = nil
    }
    #expect(timings.send == 0 && timings.wait == 0 && timings.receive == 56 && timings.time == 63)
    let failed = metrics {
      $0.fetchStartDate = at(0)
      $0.domainLookupStartDate = at(0)
      $0.domainLookupEndDate = at(1)
      $0.responseEndDate = at(4)
    }
    #expect(failed.dns == 1 && failed.connect == -1 && failed.receive == 3 && failed.time == 4)
  }
}
