import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

/// What follows which event, by draft-ietf-httpbis-resumable-upload.
@Suite struct ResumableUploadMachineTests {
  private let now = Date(timeIntervalSince1970: 1000)
  private let url: URL = "https://example.org/files"
  private let resource: URL = "https://example.org/uploads/1"

  private func answer(_ status: Int, _ change: (inout UploadAnswer) -> Void = { _ in }) -> UploadAnswer {
    var answer = UploadAnswer(status: status)
    change(&answer)
    return answer
  }

  private func announcement(_ change: (inout UploadAnswer) -> Void = { _ in }) -> UploadAnswer {
    answer(104) {
      $0.version = 8
      $0.location = "/uploads/1"
      change(&$0)
    }
  }

  /// An upload of 100 bytes that the server has announced.
  private func announced(_ change: (inout UploadAnswer) -> Void = { _ in }) -> ResumableUpload {
    var upload = ResumableUpload(length: 100)
    _ = upload.announced(announcement(change), by: url, at: now)
    return upload
  }

  /// The same, interrupted.
  private func asking(_ change: (inout UploadAnswer) -> Void = { _ in }) -> ResumableUpload {
    var upload = announced(change)
    _ = upload.interrupted(at: now)
    return upload
  }

  private func offset(_ offset: Int64?, complete: Bool? = false, _ change: (inout UploadAnswer) -> Void = { _ in })
    -> UploadAnswer
  {
    answer(204) {
      $0.offset = offset
      $0.isComplete = complete
      change(&$0)
    }
  }

  private func reason(_ action: ResumableUpload.Action) -> UploadFailure.Reason? {
    if case .fail(let failure) = action { return failure.reason }
    return nil
  }

  // MARK: Announcements

  @Test func anAnnouncementNamesTheResource() {
    let upload = announced()
    #expect(upload.resource == resource && upload.isResumable(at: now))
  }

  @Test(
    arguments: [
      { $0.version = nil }, { $0.version = 7 }, { $0.location = nil }, { $0.status = 103 },
      { $0.location = "file:///etc/passwd" }, { $0.location = "http://example.org/uploads/1" },
      { $0.location = "data:,x" },
      { $0.location = "ftp://example.org/" },
    ] as [@Sendable (inout UploadAnswer) -> Void])
  func otherAnnouncementsCountAsNone(change: @Sendable (inout UploadAnswer) -> Void) {
    var upload = announced(change)
    #expect(upload.resource == nil)
    #expect(upload.interrupted(at: now) == .proceed)
    #expect(!upload.isResumable(at: now))
  }

  @Test func anotherResourceIsAFailure() {
    var upload = announced()
    #expect(upload.announced(announcement(), by: url, at: now) == .proceed)
    let action = upload.announced(announcement { $0.location = "/uploads/2" }, by: url, at: now)
    #expect(reason(action) == .otherResource)
    #expect(!upload.isResumable(at: now))
  }

  @Test func limitsAreKept() {
    for limits in ["max-size=99", "min-size=101"] {
      var upload = ResumableUpload(length: 100)
      let action = upload.announced(announcement { $0.limits = UploadLimits([limits]) }, by: url, at: now)
      guard case .fail(let failure) = action else { Issue.record("\(limits): \(action)"); continue }
      #expect(failure.cancelsUpload && failure.code == .dataLengthExceedsMaximum && failure.words.contains("100"))
    }
    var upload = ResumableUpload(length: 100)
    #expect(
      upload.announced(announcement { $0.limits = UploadLimits(["max-append-size=40"]) }, by: url, at: now)
        == .ask(after: .zero))
    #expect(
      upload.responded(offset(0), isWhole: false, at: now) == .append(.init(offset: 0, length: 40, isLast: false)))
    let more = answer(204) { $0.isComplete = false }
    #expect(upload.responded(more, isWhole: false, at: now) == .append(.init(offset: 40, length: 40, isLast: false)))
    #expect(upload.responded(more, isWhole: false, at: now) == .append(.init(offset: 80, length: 20, isLast: true)))
    #expect(upload.responded(answer(200) { $0.isComplete = true }, isWhole: true, at: now) == .proceed)
  }

  @Test func partsOfNoSizeAreRefused() {
    for limits in ["max-append-size=0", "max-append-size=10, min-append-size=20"] {
      var upload = asking { $0.limits = UploadLimits([limits]) }
      guard case .limits = reason(upload.responded(offset(0), isWhole: false, at: now)) else {
        Issue.record("\(limits)")
        continue
      }
    }
  }

  @Test func anUploadThatIsForgottenIsNotAskedAbout() {
    var upload = announced { $0.limits = UploadLimits(["max-age=60"]) }
    #expect(upload.isResumable(at: now.addingTimeInterval(59)))
    #expect(!upload.isResumable(at: now.addingTimeInterval(60)))
    #expect(upload.interrupted(at: now.addingTimeInterval(61)) == .proceed)
  }

  @Test func aLifetimeBeyondAllCalendarsIsADate() throws {
    let upload = announced { $0.limits = UploadLimits(["max-age=999999999999999"]) }
    #expect(try #require(upload.expiry) <= .distantFuture && upload.isResumable(at: now))
  }

  // MARK: Interruptions

  @Test func anInterruptionIsFollowedByTheQuestionAndTheRest() {
    var upload = announced()
    #expect(upload.interrupted(at: now) == .ask(after: .zero))
    #expect(
      upload.responded(offset(30), isWhole: false, at: now) == .append(.init(offset: 30, length: 70, isLast: true)))
    #expect(upload.responded(answer(201) { $0.isComplete = true }, isWhole: true, at: now) == .proceed)
    #expect(!upload.isResumable(at: now))
  }

  @Test func withoutAnAnnouncementNothingChanges() {
    var upload = ResumableUpload(length: 100)
    #expect(upload.responded(answer(500), isWhole: false, at: now) == .proceed)
    upload = ResumableUpload(length: 100)
    #expect(
      upload.responded(answer(413) { $0.limits = UploadLimits(["max-append-size=10"]) }, isWhole: false, at: now)
        == .proceed)
  }

  @Test func attemptsWithoutProgressAreBounded() {
    var upload = announced()
    var delays: [Duration] = []
    while case .ask(let delay) = upload.interrupted(at: now), delays.count < 100 { delays.append(delay) }
    #expect(delays == [.zero, .seconds(1), .seconds(2), .seconds(4), .seconds(8)])
    #expect(upload.isResumable(at: now), "a later task may try again")
  }

  @Test func progressAllowsMore() {
    var upload = asking()
    for step in 1..<50 {
      #expect(
        upload.responded(offset(Int64(step)), isWhole: false, at: now)
          == .append(.init(offset: Int64(step), length: 100 - Int64(step), isLast: true)))
      #expect(upload.interrupted(at: now) == .ask(after: .zero))
    }
  }

  @Test func progressThatIsToldOnTheSideCounts() {
    var upload = announced()
    for _ in 0..<5 { _ = upload.interrupted(at: now) }
    _ = upload.responded(offset(0), isWhole: false, at: now)
    #expect(upload.interrupted(at: now) == .proceed)
    _ = upload.announced(
      answer(104) {
        $0.version = 8; $0.offset = 10
      }, by: resource, at: now)
    #expect(upload.interrupted(at: now) == .ask(after: .zero))
    #expect(reason(upload.responded(offset(9), isWhole: false, at: now)) == .lostBytes(has: 9, had: 10))
  }

  // MARK: Answers to the question

  @Test func lies() {
    let lies: [(UploadAnswer, UploadFailure.Reason)] = [
      (offset(nil), .noOffset), (offset(101), .excess(has: 101, length: 100)),
      (offset(19), .lostBytes(has: 19, had: 20)), (offset(50) { $0.length = 99 }, .otherLength(said: 99, length: 100)),
      (offset(50, complete: true), .incomplete(has: 50, length: 100)), (answer(404), .gone(status: 404)),
      (answer(410), .gone(status: 410)), (answer(403), .refused(status: 403)), (answer(302), .refused(status: 302)),
    ]
    for (lie, expected) in lies {
      var upload = asking { $0.offset = 20 }
      #expect(reason(upload.responded(lie, isWhole: false, at: now)) == expected)
      #expect(upload.isResumable(at: now) == UploadFailure(expected).isTemporary)
    }
  }

  @Test func anOffsetBeyondWhatWasSentIsTakenWhereTheServerHasThatFromElsewhere() {
    // Section 4.3: the upload resource may have obtained more on the client's behalf. There is nothing that could tell a lie.
    var upload = asking()
    #expect(
      upload.responded(offset(100), isWhole: false, at: now) == .append(.init(offset: 100, length: 0, isLast: true)))
  }

  @Test func whatIsCompleteIsTheResult() {
    var upload = asking()
    #expect(upload.responded(offset(100, complete: true), isWhole: false, at: now) == .proceed)
  }

  /// A failure of the server is not turned into the success that the answer to HEAD looks like.
  @Test func aServerThatFailedAndHasAllLeavesTheResultUnknown() {
    var upload = announced()
    #expect(upload.responded(answer(500), isWhole: false, at: now) == .ask(after: .zero))
    let complete = offset(100, complete: true)
    #expect(reason(upload.responded(complete, isWhole: false, at: now)) == .unknownResult(status: 500))
    upload = asking()
    _ = upload.responded(offset(10), isWhole: false, at: now)
    _ = upload.responded(answer(500), isWhole: true, at: now)
    #expect(reason(upload.responded(complete, isWhole: false, at: now)) == .unknownResult(status: 500))
    // What was lost on the way after more was sent is another matter.
    upload = announced()
    _ = upload.responded(answer(500), isWhole: false, at: now)
    _ = upload.responded(offset(10), isWhole: false, at: now)
    _ = upload.interrupted(at: now)
    #expect(upload.responded(complete, isWhole: false, at: now) == .proceed)
  }

  @Test func aServerInTroubleIsAskedAgain() {
    for status in [408, 429, 500, 503] {
      var upload = asking()
      #expect(upload.responded(answer(status), isWhole: false, at: now) == .ask(after: .seconds(1)))
      for _ in 0..<3 { _ = upload.responded(answer(status), isWhole: false, at: now) }
      #expect(reason(upload.responded(answer(status), isWhole: false, at: now)) == .refused(status: status))
    }
  }

  // MARK: Answers to requests with a body

  @Test func aServerErrorAmidTheBodyIsAnInterruption() {
    var upload = announced()
    #expect(upload.responded(answer(503), isWhole: false, at: now) == .ask(after: .zero))
    upload = announced()
    #expect(upload.responded(answer(503), isWhole: true, at: now) == .proceed, "it is the result")
    upload = announced()
    #expect(upload.responded(answer(503) { $0.isComplete = true }, isWhole: false, at: now) == .proceed)
    for status in [200, 201, 400, 401, 405, 409, 413] {
      upload = announced()
      #expect(upload.responded(answer(status), isWhole: false, at: now) == .proceed)
      #expect(!upload.isResumable(at: now))
    }
  }

  @Test func aBodyThatIsTooLargeGoesInParts() {
    var upload = announced()
    let refusal = answer(413) { $0.limits = UploadLimits(["max-append-size=60"]) }
    #expect(upload.responded(refusal, isWhole: false, at: now) == .ask(after: .zero))
    #expect(
      upload.responded(offset(0), isWhole: false, at: now) == .append(.init(offset: 0, length: 60, isLast: false)))
  }

  @Test func anotherOffsetIsAskedFor() {
    var upload = asking()
    _ = upload.responded(offset(10), isWhole: false, at: now)
    #expect(upload.responded(answer(409) { $0.offset = 20 }, isWhole: false, at: now) == .ask(after: .zero))
    #expect(
      upload.responded(offset(20), isWhole: false, at: now) == .append(.init(offset: 20, length: 80, isLast: true)))
  }

  // MARK: Successes that are not

  @Test func aServerThatWantsMoreThanThereIsFailsTheUpload() {
    var upload = asking()
    var asked = 0
    _ = upload.responded(offset(100), isWhole: false, at: now)
    var action = upload.responded(answer(201) { $0.isComplete = false }, isWhole: true, at: now)
    while case .ask = action, asked < 100 {
      asked += 1
      _ = upload.responded(offset(100), isWhole: true, at: now)
      action = upload.responded(answer(201) { $0.isComplete = false }, isWhole: true, at: now)
    }
    #expect(asked == 5)
    #expect(reason(action) == .unfinished(status: 201, has: 100, length: 100))
    #expect(!upload.isResumable(at: now))
  }

  @Test func aServerThatKeepsNoPartFailsTheUpload() {
    var upload = asking { $0.limits = UploadLimits(["max-append-size=40"]) }
    var asked = 0
    _ = upload.responded(offset(7), isWhole: false, at: now)
    var action = upload.responded(offset(7), isWhole: false, at: now)
    while case .ask = action, asked < 100 {
      asked += 1
      _ = upload.responded(offset(7), isWhole: false, at: now)
      action = upload.responded(offset(7), isWhole: false, at: now)
    }
    #expect(asked == 5)
    #expect(reason(action) == .unfinished(status: 204, has: 7, length: 100))
  }

  @Test func whatIsUnfinishedWhenTheServerForgetsItIsAFailure() {
    var upload = asking { $0.limits = UploadLimits(["max-age=60"]) }
    _ = upload.responded(offset(10), isWhole: false, at: now)
    let action = upload.responded(offset(nil), isWhole: true, at: now.addingTimeInterval(61))
    #expect(reason(action) == .unfinished(status: 204, has: 10, length: 100))
    #expect(UploadFailure(.unfinished(status: 204, has: 10, length: 100)).words.hasSuffix("10 bytes of 100"))
    #expect(UploadFailure(.unfinished(status: 204, has: 10, length: nil)).words.hasSuffix("10 bytes"))
  }

  @Test func aFirstRequestThatSucceedsWithoutCompletingIsAskedAbout() {
    let unfinished = answer(201) { $0.isComplete = false }
    var upload = announced()
    #expect(upload.responded(unfinished, isWhole: true, at: now) == .ask(after: .zero))
    #expect(
      upload.responded(offset(30), isWhole: false, at: now) == .append(.init(offset: 30, length: 70, isLast: true)))
    // There is nowhere to ask.
    upload = ResumableUpload(length: 100)
    let action = upload.responded(unfinished, isWhole: true, at: now)
    #expect(reason(action) == .unfinished(status: 201, has: 0, length: 100))
  }

  @Test func completenessBeforeTheLastPartIsAFailure() {
    for (said, has) in [(nil, 40), (40, 40), (50, 50)] as [(Int64?, Int64)] {
      var upload = asking { $0.limits = UploadLimits(["max-append-size=40"]) }
      _ = upload.responded(offset(0), isWhole: false, at: now)
      let action = upload.responded(offset(said, complete: true), isWhole: false, at: now)
      #expect(reason(action) == .incomplete(has: has, length: 100))
    }
    // It may have the rest from elsewhere, or refuse the whole.
    for end in [offset(100, complete: true), answer(422) { $0.isComplete = true }] {
      var upload = asking { $0.limits = UploadLimits(["max-append-size=40"]) }
      _ = upload.responded(offset(0), isWhole: false, at: now)
      #expect(upload.responded(end, isWhole: false, at: now) == .proceed)
    }
  }

  @Test func aPartBeforeTheLastIsTakenWhereTheServerSaysSo() {
    for (status, said, complete, isTaken) in [
      (200, nil, nil, false), (204, nil, false, true), (204, 40, nil, true), (204, 20, nil, false),
      (204, 20, false, false),
    ] as [(Int, Int64?, Bool?, Bool)] {
      var upload = asking { $0.limits = UploadLimits(["max-append-size=40"]) }
      _ = upload.responded(offset(0), isWhole: false, at: now)
      let told = answer(status) {
        $0.offset = said
        $0.isComplete = complete
      }
      let next = ResumableUpload.Action.append(.init(offset: 40, length: 40, isLast: false))
      #expect(upload.responded(told, isWhole: false, at: now) == (isTaken ? next : .ask(after: .seconds(1))))
    }
  }

  // MARK: Challenges

  @Test func aRequestThatIsSentAgainMayGetAnotherResource() {
    var upload = announced {
      $0.offset = 50
      $0.limits = UploadLimits(["max-age=60"])
    }
    upload.restarted()
    #expect(upload.resource == nil && upload.acknowledged == 0 && upload.expiry == nil && upload.isCreating)
    #expect(upload.announced(announcement { $0.location = "/uploads/2" }, by: url, at: now) == .proceed)
    #expect(upload.resource?.path == "/uploads/2")
    // A challenge to what goes on changes nothing.
    _ = upload.interrupted(at: now)
    let before = upload
    upload.restarted()
    #expect(upload == before)
  }

  @Test func aPartWhoseAnswerIsSilentAboutCompletenessIsTheLast() {
    var upload = asking()
    _ = upload.responded(offset(10), isWhole: false, at: now)
    #expect(upload.responded(answer(200), isWhole: true, at: now) == .proceed)
  }

  @Test func aBodyOfUnknownLengthIsSentToItsEnd() {
    var upload = ResumableUpload(length: nil)
    _ = upload.announced(announcement(), by: url, at: now)
    _ = upload.interrupted(at: now)
    #expect(
      upload.responded(offset(7), isWhole: false, at: now) == .append(.init(offset: 7, length: nil, isLast: true)))
    upload = ResumableUpload(length: nil)
    _ = upload.announced(announcement { $0.limits = UploadLimits(["max-append-size=5"]) }, by: url, at: now)
    _ = upload.interrupted(at: now)
    guard case .limits = reason(upload.responded(offset(7), isWhole: false, at: now)) else {
      Issue.record("it would be sent")
      return
    }
  }

  @Test func anUploadOfAnEarlierTaskBeginsWithTheQuestion() {
    var upload = ResumableUpload(length: 100, resource: resource, acknowledged: 40, expiry: nil)
    #expect(!upload.isCreating && upload.isResumable(at: now))
    #expect(reason(upload.responded(offset(39), isWhole: false, at: now)) == .lostBytes(has: 39, had: 40))
  }

  /// Whatever comes in whatever order: nothing traps, and what is over stays over.
  @Test func anyOrderOfEvents() {
    var generator = SeededGenerator(seed: 1)
    for _ in 0..<2000 {
      var upload = ResumableUpload(length: Bool.random(using: &generator) ? 100 : nil)
      var wasOver = false
      for _ in 0..<20 {
        let anything = answer([104, 200, 204, 302, 404, 409, 413, 500].randomElement(using: &generator) ?? 200) {
          $0.version = 8
          $0.location = Bool.random(using: &generator) ? "/uploads/1" : nil
          $0.offset = Bool.random(using: &generator) ? Int64.random(in: 0...110, using: &generator) : nil
          $0.isComplete = [nil, true, false].randomElement(using: &generator) ?? nil
          let size = Int.random(in: 0...120, using: &generator)
          $0.limits = Bool.random(using: &generator) ? UploadLimits(["max-append-size=\(size)"]) : nil
        }
        let action =
          switch Int.random(in: 0..<3, using: &generator) {
          case 0: upload.announced(anything, by: url, at: now)
          case 1: upload.interrupted(at: now)
          default: upload.responded(anything, isWhole: Bool.random(using: &generator), at: now)
          }
        if wasOver { #expect(action == .proceed) }
        if case .append(let part) = action, let length = part.length { #expect(part.offset + length <= 100) }
        if case .fail(let failure) = action, !failure.isTemporary { wasOver = true }
      }
    }
  }
}
