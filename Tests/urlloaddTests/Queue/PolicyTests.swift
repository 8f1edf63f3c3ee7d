import Foundation
import Testing
import URLLoading

@testable import urlloadd

/// The small decisions of the service.
@Suite struct PolicyTests {
  @Test func delaysDoubleUpToFiveMinutes() {
    #expect([1, 2, 3, 9, 10, 500].map { RetryPolicy.delay(afterFailures: $0) } == [1, 2, 4, 256, 300, 300])
  }

  @Test(arguments: [
    (URLError.Code.timedOut, true), (.cannotFindHost, true), (.cannotConnectToHost, true),
    (.networkConnectionLost, true),
    (.notConnectedToInternet, true), (.unsupportedURL, false), (.badURL, false), (.cancelled, false),
    (.serverCertificateUntrusted, false), (.httpTooManyRedirects, false), (.fileDoesNotExist, false),
  ])
  func networksMayComeBack(_ code: URLError.Code, _ isTransient: Bool) {
    #expect(RetryPolicy.isTransient(URLError(code)) == isTransient)
  }

  @Test func aFullDiskMayHaveRoomAgain() {
    func error(_ reason: POSIXErrorCode) -> URLError {
      URLError(.cannotWriteToFile, userInfo: [NSUnderlyingErrorKey: POSIXError(reason)])
    }
    #expect(RetryPolicy.isTransient(error(.ENOSPC)))
    #expect(!RetryPolicy.isTransient(error(.EACCES)))
  }

  /// Whatever it was that could not be done, and however far below that is said.
  @Test(arguments: [
    (POSIXErrorCode.EMFILE, true), (.ENFILE, true), (.ENOMEM, true), (.ENOBUFS, true), (.ENOSPC, true), (.EAGAIN, true),
    (.EACCES, false), (.ENOENT, false),
  ])
  func whatTheSystemHasNoneLeftOfComesBack(_ reason: POSIXErrorCode, _ isTransient: Bool) {
    for code in [URLError.Code.resourceUnavailable, .cannotOpenFile, .cannotWriteToFile, .unknown] {
      let error = URLError(code, userInfo: [NSUnderlyingErrorKey: POSIXError(reason)])
      #expect(RetryPolicy.isTransient(error) == isTransient)
      let outer = URLError(.cannotOpenFile, userInfo: [NSUnderlyingErrorKey: error])
      #expect(RetryPolicy.isTransient(outer) == isTransient)
    }
  }

  @Test(
    arguments: [
      // A kill loses next to nothing.
      (1000, 0, 0, false), (1 << 20, 1 << 20, 1999, false),
      (-1, 0, 0, true), (1 << 20 + 1, 0, 0, true), (1000, 1 << 20 + 1, 0, true), (1000, 10, 2000, true),
    ] as [(Int64, Int64, Int, Bool)])
  func downloadsAreResumedWhereThatPays(_ expected: Int64, _ received: Int64, _ milliseconds: Int, _ pays: Bool) {
    #expect(
      ResumptionPolicy.pays(expected: expected, received: received, age: .milliseconds(milliseconds)) == pays)
  }

  @Test func credentialsGoWithTheEndOfTheirTask() throws {
    var request = URLRequest(url: try #require(URL(string: "http://example.org/")))
    for (name, value) in ["Authorization": "Basic x", "X-Api-Key": "k", "Accept": "a/b"] {
      request.setValue(value, forHTTPHeaderField: name)
    }
    let removed = try #require(BackgroundValues.withoutSecrets(BackgroundValues.data(of: request)))
    #expect(BackgroundValues.request(removed)?.allHTTPHeaderFields == ["Accept": "a/b"])
    #expect(BackgroundValues.withoutSecrets(removed) == nil)
  }

  @Test func transfersAreHeldBackAboveTheRate() {
    var rate = RateLimit()
    let start = Date(timeIntervalSince1970: 1000)
    rate.limit(to: 1000, now: start)
    rate.moved(100, now: start)
    var changes = [rate.change(now: start)]
    rate.moved(2000, now: start)
    for seconds in [0, 2, 2.2] { changes.append(rate.change(now: start.addingTimeInterval(seconds))) }
    #expect(changes == [nil, true, nil, false])
  }

  @Test func versionsAreComparedByTheirNumbers() {
    #expect(VersionOrder.isNewer("0.10.0", than: "0.9.9"))
    #expect(VersionOrder.isNewer("1.0", than: "0.9.9"))
    #expect(!VersionOrder.isNewer("0.9", than: "0.9.0"))
    #expect(!VersionOrder.isNewer("nonsense", than: "0.0.1"))
  }

  @Test func datesComeInTheirOrder() {
    var queue = DateQueue()
    let start = Date(timeIntervalSince1970: 1000)
    for (number, seconds) in [(1, 5.0), (2, 1), (3, 3), (4, 1)] {
      queue.set(start.addingTimeInterval(seconds), for: number)
    }
    queue.set(nil, for: 2)
    queue.set(start.addingTimeInterval(9), for: 3)
    let (next, early) = (queue.next(), queue.takeDue(start))
    #expect(next == start.addingTimeInterval(1))
    #expect(early == nil)
    var due: [Int] = []
    while let number = queue.takeDue(start.addingTimeInterval(9)) { due.append(number) }
    #expect(due == [4, 1, 3])
  }
}
