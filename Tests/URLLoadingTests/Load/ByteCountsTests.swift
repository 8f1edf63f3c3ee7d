import Testing

@testable import URLLoading

/// What is counted and reported of a task's bytes.
@Suite struct ByteCountsTests {
  @Test func reportsAreAboutWhatIsNew() {
    var counts = ByteCounts()
    #expect(!counts.isReportDue(isObserved: false))
    #expect(counts.isReportDue(isObserved: true))
    counts.sent(total: 5)
    #expect(counts.isReportDue(isObserved: false))
    counts.queueReport()
    counts.sent(total: 8)
    #expect(!counts.isReportDue(isObserved: true))
    #expect(counts.takeReport() == 8)
    #expect(!counts.isReportDue(isObserved: false))
    counts.sent(total: 9)
    #expect(counts.takeReport() == 1)
    #expect(counts.takeReport() == 0)
  }

  @Test func aBodyThatIsSentAgainStartsFromTheBeginning() {
    var counts = ByteCounts()
    counts.sent(total: 5)
    #expect(counts.takeReport() == 5)
    counts.sent(total: 3)
    #expect(counts.isReportDue(isObserved: false))
    #expect(counts.takeReport() == 3)
    counts.sendsAnew(from: 2)
    #expect(!counts.isReportDue(isObserved: false))
    counts.sent(total: 6)
    #expect(counts.takeReport() == 4)
  }

  @Test func theTotalIsKnownWhenBothAre() {
    var counts = ByteCounts()
    counts.expects(10)
    #expect(counts.total(toSend: 5, hasResponse: false) == -1)
    #expect(counts.total(toSend: 5, hasResponse: true) == 15)
    #expect(counts.total(toSend: -1, hasResponse: true) == -1)
    counts.expects(-1)
    #expect(counts.total(toSend: 5, hasResponse: true) == -1)
    counts.expects(.max)
    #expect(counts.total(toSend: 1, hasResponse: true) == -1)
  }

  @Test func bothDirectionsCount() {
    var counts = ByteCounts()
    counts.received(more: 3)
    counts.received(more: 4)
    counts.sent(total: 2)
    #expect(counts.moved == 9)
    counts.received(total: 5)
    #expect(counts.received == 5)
  }
}
