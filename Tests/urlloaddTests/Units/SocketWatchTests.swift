import Testing
import URLLoadingBase

@testable import urlloadd

/// When the service looks for its socket.
@Suite struct SocketWatchTests {
  private func seconds(_ watch: SocketWatch, after now: MonotonicInstant) -> Double { now.seconds(to: watch.nextLook) }

  /// Two services that replace each other's socket do so ever more seldom.
  @Test func itIsPatientWithOthers() {
    var now = MonotonicInstant(nanoseconds: 0)
    var watch = SocketWatch(now: now)
    var pauses: [Double] = []
    for _ in 0..<10 {
      now = watch.nextLook
      watch.listens(at: now, inPlaceOfAnother: true)
      pauses.append(seconds(watch, after: now))
    }
    #expect(pauses == [4, 8, 16, 32, 64, 128, 256, 300, 300, 300])
    for _ in 0..<10 {
      now = watch.nextLook
      watch.found(at: now)
    }
    #expect(seconds(watch, after: now) == 2)
  }

  @Test func aSocketThatIsRemovedAgainAndAgainIsThereAgainAsSoon() {
    var now = MonotonicInstant(nanoseconds: 0)
    var watch = SocketWatch(now: now)
    for _ in 0..<10 {
      now = watch.nextLook
      watch.listens(at: now, inPlaceOfAnother: false)
      #expect(seconds(watch, after: now) == 2)
    }
  }

  @Test func itSaysOnceThatThereIsNoFolder() {
    let now = MonotonicInstant(nanoseconds: 0)
    var watch = SocketWatch(now: now)
    var isSaid = [watch.failed(at: now), watch.failed(at: now)]
    watch.listens(at: now, inPlaceOfAnother: false)
    isSaid.append(watch.failed(at: now))
    #expect(isSaid == [true, false, true])
    #expect(seconds(watch, after: now) == 2)
  }
}
