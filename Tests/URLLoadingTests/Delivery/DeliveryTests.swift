import Foundation
import Testing
import URLLoadingBase
import URLLoadingTestServers

@testable import URLLoading

@Suite struct DeliveryTests {
  private let log = Watched<[String]>([])

  private func note(_ text: String) -> @Sendable () -> Void {
    let log = log
    return { log.update { $0.append(text) } }
  }

  private func queued() -> (Delivery, OperationQueue) {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    return (Delivery(executor: .queue { queue }), queue)
  }

  private func add(_ text: String, to delivery: Delivery) {
    Data(text.utf8).withUnsafeBytes { delivery.add($0) }
  }

  /// Returns when the serial queue has run what was in it.
  private func settle(_ queue: OperationQueue) async {
    await withCheckedContinuation { continuation in queue.addOperation { continuation.resume() } }
  }

  @Test func runsInOrder() async {
    let (delivery, _) = queued()
    for number in 0..<100 { delivery.add(note("\(number)")) }
    delivery.addLast(note("last"))
    #expect(await log.wait { $0.last == "last" })
    #expect(log.value == (0..<100).map(String.init) + ["last"])
  }

  /// What is dropped where a task is cancelled is what a delegate would be told; a handler gets its answer.
  @Test func handlersAreNotDropped() async {
    let (delivery, queue) = queued()
    queue.isSuspended = true
    delivery.add(note("call"))
    #expect(delivery.addHandler(note("handler")))
    delivery.add(note("call"))
    delivery.replaceAll(with: note("last"))
    #expect(!delivery.addHandler(note("late")))
    queue.isSuspended = false
    #expect(await log.wait { $0.last == "last" })
    #expect(log.value == ["handler", "last"])
  }

  @Test func handlersPassAnOpenQuestion() async {
    let (delivery, queue) = queued()
    let log = log
    let answers = Watched<[@Sendable (Int) -> Void]>([])
    delivery.addQuestion(
      ask: { answer in answers.update { $0.append(answer) } },
      then: { (number: Int) in log.update { $0.append("answer \(number)") } })
    #expect(await answers.wait { $0.count == 1 })
    delivery.add(note("call"))
    #expect(delivery.addHandler(note("handler")))
    #expect(await log.wait { $0 == ["handler"] })
    answers.value.first?(7)
    #expect(await log.wait { $0 == ["handler", "answer 7", "call"] })
    await settle(queue)
  }

  // Safe to share: the count guards itself, and a queue is.
  /// Counts what it is given.
  private final class CountingQueue: OperationQueue, @unchecked Sendable {
    let count = Watched(0)

    override func addOperation(_ block: @escaping @Sendable () -> Void) {
      count.update { $0 += 1 }
      super.addOperation(block)
    }
  }

  /// Data that comes on the loop's thread waits for the end of its turn: with what else comes by then it takes one operation.
  @Test(arguments: [true, false]) func dataOfATurnTakesOneOperation(isWhole: Bool) async {
    let queue = CountingQueue()
    queue.maxConcurrentOperationCount = 1
    let delivery = Delivery(executor: .queue { queue })
    let log = log
    delivery.setDataHandler { data in log.update { $0.append(String(decoding: data, as: UTF8.self)) } }
    await withTaskExecutorPreference(URLSession.loadingExecutor) {
      add("a", to: delivery)
      add("b", to: delivery)
      #expect(queue.count.value == 0)
      if isWhole { delivery.addLast(note("last")) }
    }
    let expected = isWhole ? ["ab", "last"] : ["ab"]
    #expect(await log.wait { $0.count == expected.count })
    #expect(log.value == expected)
    #expect(queue.count.value == 1)
  }

  @Test func joinsWaitingData() async {
    let (delivery, queue) = queued()
    queue.isSuspended = true
    let log = log
    delivery.setDataHandler { data in log.update { $0.append(String(decoding: data, as: UTF8.self)) } }
    add("a", to: delivery)
    add("b", to: delivery)
    delivery.add(note("call"))
    add("c", to: delivery)
    delivery.addLast(note("last"))
    queue.isSuspended = false
    #expect(await log.wait { $0.last == "last" })
    #expect(log.value == ["ab", "call", "c", "last"])
  }

  /// Large pieces, in bursts and with pauses between them that are shorter and longer than what a consumer waits awake; with a gate
  /// that is answered from elsewhere in the midst of them.
  @Test func briskPiecesComeOnceAndInOrder() async {
    let (delivery, _) = queued()
    let log = log
    delivery.setDataHandler { data in log.update { $0.append("\(data.first ?? 0)") } }
    var expected: [String] = []
    for number in 0..<1000 {
      delivery.add(Data(repeating: UInt8(number % 251), count: 100 << 10))
      expected.append("\(number % 251)")
      if number % 50 == 49 {
        let clock = ContinuousClock()
        let end = clock.now + .microseconds(number * 5)
        while clock.now < end {}
      }
      if number % 300 == 299 {
        delivery.addQuestion(
          ask: { answer in DispatchQueue.global().async { answer(number) } },
          then: { (number: Int) in log.update { $0.append("gate \(number)") } })
        expected.append("gate \(number)")
      }
    }
    delivery.addLast(note("last"))
    #expect(await log.wait { $0.last == "last" })
    #expect(log.value == expected + ["last"])
  }

  @Test func gateHoldsBackUntilAnswered() async {
    let (delivery, queue) = queued()
    let answer = Watched<(@Sendable (Int) -> Void)?>(nil)
    let log = log
    delivery.addQuestion(
      ask: { handler in answer.update { $0 = handler } }, then: { (n: Int) in log.update { $0.append("answer \(n)") } })
    delivery.add(note("behind"))
    #expect(await answer.wait { $0 != nil })
    await settle(queue)
    #expect(log.value.isEmpty)
    answer.value?(1)
    answer.value?(2)
    #expect(await log.wait { $0.last == "behind" })
    #expect(log.value == ["answer 1", "behind"])
  }

  @Test func gateAnsweredAtOnceInline() {
    let delivery = Delivery(executor: .inline)
    let log = log
    for number in 0..<3 {
      delivery.addQuestion(
        ask: { $0(number) },
        then: { (n: Int) in
          log.update { $0.append("\(n)") }
          delivery.add { log.update { $0.append("after \(n)") } }
        })
    }
    delivery.addLast(note("last"))
    #expect(log.value == ["0", "after 0", "1", "after 1", "2", "after 2", "last"])
  }

  @Test func inlineCallsThatAddDoNotNest() {
    let delivery = Delivery(executor: .inline)
    let depth = Locked((now: 0, most: 0))
    @Sendable func call(_ left: Int) {
      depth.withLock {
        $0.now += 1
        $0.most = max($0.most, $0.now)
      }
      if left > 0 { delivery.add { call(left - 1) } }
      depth.withLock { $0.now -= 1 }
    }
    delivery.add { call(100_000) }
    #expect(depth.withLock { $0.most } == 1)
  }

  @Test func replaceAllOpensAClosedGate() async {
    let (delivery, _) = queued()
    let answer = Watched<(@Sendable (Int) -> Void)?>(nil)
    delivery.addQuestion(
      ask: { handler in answer.update { $0 = handler } }, then: { [log] (_: Int) in log.update { $0.append("answer") } }
    )
    delivery.add(note("dropped"))
    #expect(await answer.wait { $0 != nil })
    delivery.replaceAll(with: note("last"))
    #expect(await log.wait { !$0.isEmpty })
    answer.value?(1)
    delivery.add(note("late"))
    add("late", to: delivery)
    delivery.addLast(note("second last"))
    delivery.replaceAll(with: note("third last"))
    #expect(log.value == ["last"])
  }

  @Test func replaceAllTakesThePlaceOfALastCallThatWaits() async {
    let (delivery, queue) = queued()
    queue.isSuspended = true
    delivery.addLast(note("finished"))
    delivery.replaceAll(with: note("cancelled"))
    queue.isSuspended = false
    #expect(await log.wait { !$0.isEmpty })
    await settle(queue)
    #expect(log.value == ["cancelled"])
  }

  @Test func theLastCallIsTheOnlyOneEvenFromWithin() {
    let delivery = Delivery(executor: .inline)
    let log = log
    delivery.addLast {
      log.update { $0.append("last") }
      delivery.replaceAll { log.update { $0.append("again") } }
    }
    #expect(log.value == ["last"])
  }

  @Test func leavesTheQueueToOthers() async {
    let (delivery, queue) = queued()
    queue.isSuspended = true
    for number in 0..<40 { delivery.add(note("\(number)")) }
    queue.addOperation(note("other"))
    queue.isSuspended = false
    #expect(await log.wait { $0.count == 41 })
    #expect(log.value.firstIndex(of: "other") == 16)
  }

  @Test func oneAtATimeOnAConcurrentQueue() async {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 8
    let delivery = Delivery(executor: .queue { queue })
    let state = Watched((inside: 0, overlaps: 0, count: 0))
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<1000 {
        group.addTask {
          delivery.add {
            state.update {
              $0.inside += 1
              if $0.inside > 1 { $0.overlaps += 1 }
            }
            state.update {
              $0.inside -= 1
              $0.count += 1
            }
          }
        }
      }
    }
    #expect(await state.wait { $0.count == 1000 })
    #expect(state.value.overlaps == 0)
  }

  @Test func threadsAddAndAnswerAtOnce() async {
    let (delivery, _) = queued()
    let count = Watched(0)
    let threads = 1000
    for _ in 0..<threads {
      Thread.detachNewThread {
        delivery.addQuestion(
          ask: { answer in DispatchQueue.global().async { answer(1) } },
          then: { (n: Int) in count.update { $0 += n } })
      }
    }
    #expect(await count.wait(timeout: .seconds(30)) { $0 == threads })
  }

  @Test func whatHasRunIsReleasedWhileOthersWait() async {
    final class Token: Sendable {}
    let (delivery, queue) = queued()
    let gates = Watched<[@Sendable (Int) -> Void]>([])
    weak var released: Token?
    func fill() {
      let token = Token()
      released = token
      delivery.add { withExtendedLifetime(token) {} }
    }
    fill()
    delivery.addQuestion(ask: { handler in gates.update { $0.append(handler) } }, then: { (_: Int) in })
    delivery.add(note("behind"))
    #expect(await gates.wait { $0.count == 1 })
    await settle(queue)
    #expect(released == nil)
    gates.value.first?(0)
    #expect(await log.wait { $0 == ["behind"] })
  }

  @Test func manyGatesWithoutAnEmptyQueue() async {
    let (delivery, queue) = queued()
    queue.isSuspended = true
    for number in 0..<1000 {
      delivery.addQuestion(ask: { $0(number) }, then: { [log] (n: Int) in log.update { $0.append("\(n)") } })
    }
    queue.isSuspended = false
    #expect(await log.wait { $0.count == 1000 })
    #expect(log.value == (0..<1000).map(String.init))
  }

  @Test func takesWaitingDataOut() async {
    let (delivery, queue) = queued()
    queue.isSuspended = true
    add("a", to: delivery)
    delivery.add(note("call"))
    add("b", to: delivery)
    let taken = delivery.takeWaitingData().map { String(decoding: $0, as: UTF8.self) }
    #expect(taken == ["a", "b"])
    delivery.addLast(note("last"))
    queue.isSuspended = false
    #expect(await log.wait { $0.last == "last" })
    #expect(log.value == ["call", "last"])
  }

  @Test func releasingWhatIsDroppedMayComeBack() {
    final class Returning: Sendable {
      let delivery: Delivery
      init(_ delivery: Delivery) { self.delivery = delivery }
      deinit { delivery.add {} }
    }
    let queue = OperationQueue()
    queue.isSuspended = true
    let delivery = Delivery(executor: .queue { queue })
    do {
      let object = Returning(delivery)
      delivery.add { withExtendedLifetime(object) {} }
    }
    delivery.replaceAll(with: note("last"))
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
    #expect(log.value == ["last"])
  }
}
