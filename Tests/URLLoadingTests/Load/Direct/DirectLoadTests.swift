import Foundation
import Testing
import URLLoadingBase

@testable import URLLoading

/// The value that a direct load is.
@Suite struct DirectLoadTests {
  private final class Source: URLDirectLoad {
    func start(for receiver: URLDirectReceiver) {}
    func stop() {}
    func setPaused(_ isPaused: Bool) {}
  }

  private let task = URLSession.shared.dataTask(with: "http://a/" as URL)
  private let response = URLResponse(url: "http://a/", mimeType: nil, expectedContentLength: 3, textEncodingName: nil)
  private let begin = MonotonicInstant(nanoseconds: 1_000)

  private func begun(_ direct: inout DirectLoad) -> Bool {
    let start = DirectLoad.Start(protocolClass: HTTPProtocol.self, source: Source(), task: task, time: begin)
    return direct.begin(URLRequest(url: "http://a/" as URL), start, waiter: nil, deadline: nil)
  }

  private func received(_ direct: inout DirectLoad, _ text: String) -> DirectLoad.EventAction {
    direct.received(Data(text.utf8), at: begin)
  }

  private func finishes(_ direct: inout DirectLoad) -> Bool {
    if case .deliver = direct.finished({ Delivery(executor: .inline) }) { true } else { false }
  }

  @Test func oneResponseTheBodyAndTheEnd() throws {
    var direct = DirectLoad()
    #expect(direct.state == .suspended)
    #expect(begun(&direct))
    #expect(!begun(&direct))
    #expect(direct.state == .running)
    #expect(direct.responded(response, at: begin) == .done)
    #expect(received(&direct, "ab") == .done)
    #expect(received(&direct, "c") == .done)
    #expect(direct.received == 3)
    #expect(finishes(&direct))
    #expect(direct.state == .running)
    let end = direct.complete()
    let completion = try #require(end)
    #expect(completion.body == Data("abc".utf8) && completion.response === response && completion.task === task)
    let second = direct.complete()
    #expect(second == nil)
    #expect(direct.state == .completed && direct.start == nil)
  }

  @Test func whatIsSentIsASignOfLife() {
    var direct = DirectLoad()
    let limits = LoadMachine.Limits(idle: .seconds(1))
    func isPassed(_ instant: MonotonicInstant) -> Bool {
      if case .passed = direct.checkDeadline(limits, at: instant) { true } else { false }
    }
    #expect(direct.sent(1, at: begin) == .promote)
    #expect(begun(&direct))
    let late = begin.advanced(by: .milliseconds(900))
    #expect(direct.sent(2, at: late) == .done)
    #expect(direct.sent == 2)
    #expect(!isPassed(begin.advanced(by: .milliseconds(1100))))
    #expect(isPassed(late.advanced(by: .milliseconds(1100))))
  }

  /// What may not come now is for the whole load, which says what is wrong with it.
  @Test func whatIsOutOfOrderIsForTheWholeLoad() {
    var direct = DirectLoad()
    #expect(direct.responded(response, at: begin) == .promote)
    #expect(begun(&direct))
    #expect(received(&direct, "a") == .promote)
    #expect(!finishes(&direct))
    #expect(direct.responded(response, at: begin) == .done)
    #expect(direct.responded(response, at: begin) == .promote)
    #expect(finishes(&direct))
    #expect(received(&direct, "a") == .promote)
    #expect(!finishes(&direct))
    direct.release()
  }

  @Test func aClassIsAskedAboutItsRequestBeforeItBegins() {
    var direct = DirectLoad()
    let isFirst = direct.prepare(URLRequest(url: "http://b/" as URL))
    #expect(isFirst)
    #expect(direct.request?.url == "http://b/" as URL && !direct.hasBegun)
    #expect(begun(&direct))
    #expect(direct.request?.url == "http://a/" as URL)
    let isLater = direct.prepare(URLRequest(url: "http://b/" as URL))
    #expect(!isLater)
  }

  /// The deadlines are those of the whole load.
  @Test(arguments: [(nil, nil), (5, nil), (nil, 7), (5, 7), (7, 5)] as [(Int64?, Int64?)])
  func deadlines(_ idle: Int64?, _ resource: Int64?) {
    var limits = LoadMachine.Limits()
    (limits.idleNanoseconds, limits.resourceNanoseconds) = (idle, resource)
    for waits in [false, true] {
      var (direct, machine) = (DirectLoad(), LoadMachine(limits: limits))
      #expect(begun(&direct))
      _ = machine.resume(at: begin)
      let progress = begin.advanced(byNanoseconds: 2)
      direct.waits(waits, at: progress)
      machine.waiting(waits, attempt: 1, at: progress)
      for offset in 2..<12 as Range<Int64> {
        let now = begin.advanced(byNanoseconds: offset)
        switch (direct.checkDeadline(limits, at: now), machine.checkDeadline(at: now)) {
        case (.nothing, .nothing), (.passed, .idleTimeout), (.passed, .resourceTimeout): break
        case (.wait(let mine), .wait(let whole)): #expect(mine == whole)
        case (let mine, let whole): Issue.record("\(mine), \(whole)")
        }
      }
    }
  }
}
