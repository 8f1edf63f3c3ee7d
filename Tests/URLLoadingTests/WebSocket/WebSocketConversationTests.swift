import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

/// What becomes of the requests of a WebSocket task's owner, whatever the connection does: each gets its answer once, in order.
@Suite struct WebSocketConversationTests {
  /// Carries a conversation's effects out, and notes them as words. A class, because expectations cannot call mutating methods.
  private final class Owner {
    private var conversation: WebSocketConversation
    private let answers = Watched<[String]>([])
    private var receivers: [NSObject] = []

    init(limit: Int = 1 << 20) { conversation = WebSocketConversation(limit: limit, url: nil) }

    /// What was called and asked for since the last time.
    func change(_ change: (inout WebSocketConversation) -> Void) -> [String] {
      change(&conversation)
      for effect in conversation.takeEffects() {
        switch effect {
        case .received(let receiver, let result): receiver(result)
        case .completed(let completion, let error): completion(error)
        case .announce: note("announce")
        case .buffered(let count): note("buffered \(count - WebSocketConversation.overhead)")
        case .consumed(let count): note("consumed \(count - WebSocketConversation.overhead)")
        case .opened(let name): note("opened \(name ?? "-")")
        case .closed(let code, let reason):
          note("closed \(code.rawValue) \(reason.map { String(decoding: $0, as: UTF8.self) } ?? "-")")
        case .expectEnd: note("expectEnd")
        case .end(let error): note("end \(Self.words(error))")
        }
      }
      defer { answers.update { $0 = [] } }
      return answers.value
    }

    func open(protocol name: String? = nil) -> [String] {
      change { $0.open(WebSocketMachine(maximumMessageSize: 1 << 20), protocol: name) }
    }

    @discardableResult func receive(_ name: String, mayStop: Bool = true) -> [String] {
      let identity = NSObject()
      if mayStop { receivers.append(identity) }
      return change {
        $0.receive(mayStop ? ObjectIdentifier(identity) : nil) { [answers] result in
          let words =
            switch result {
            case .success(.string(let text)): text
            case .success(.data(let data)): "\(data.count) bytes"
            case .failure(let error): Self.words(error)
            }
          answers.update { $0.append("\(name): \(words)") }
        }
      }
    }

    func takeMessage() -> (message: String?, notes: [String]) {
      var message: URLSessionWebSocketTask.Message?
      let notes = change { message = $0.takeMessage() }
      guard case .string(let text)? = message else { return (nil, notes) }
      return (text, notes)
    }

    func stopReceiving(at index: Int) -> [String] { change { $0.stopReceiving(ObjectIdentifier(receivers[index])) } }

    @discardableResult func send(_ name: String, _ text: String) -> [String] {
      change { $0.send(.string(text), completion(name)) }
    }

    @discardableResult func ping(_ name: String) -> [String] { change { $0.ping(completion(name)) } }

    func take(_ frame: Data) -> [String] { change { conversation in frame.withUnsafeBytes { conversation.take($0) } } }

    /// Takes what is put out, at most so many bytes.
    func read(_ count: Int = 1 << 16) -> (bytes: Int?, notes: [String]) {
      var buffer = [UInt8](repeating: 0, count: count)
      var taken: Int?
      let notes = change { conversation in
        buffer.withUnsafeMutableBytes { taken = conversation.read(into: UnsafeMutableRawBufferPointer($0)) }
      }
      return (taken, notes)
    }

    func connectionEnded(_ error: (any Error)? = nil) -> String { Self.words(conversation.connectionEnded(error)) }

    func end(_ code: URLError.Code) -> [String] { change { $0.end(URLError(code)) } }

    var closeCode: Int { conversation.closeCode.rawValue }

    private func note(_ words: String) { answers.update { $0.append(words) } }

    private func completion(_ name: String) -> WebSocketConversation.Completion {
      { [answers] error in answers.update { $0.append("\(name): \(Self.words(error))") } }
    }

    private static func words(_ error: (any Error)?) -> String {
      switch error {
      case nil: "done"
      case let error as URLError: "error \(error.code.rawValue)"
      case is CancellationError: "stopped"
      case let error?: "\(error)"
      }
    }
  }

  private static func text(_ text: String) -> Data { WebSocketPeer.frame(0x81, Data(text.utf8)) }

  // MARK: Sending

  @Test func whatIsSentBeforeTheHandshakeWaitsForIt() {
    let owner = Owner()
    #expect(owner.send("a", "1") == [])
    #expect(owner.ping("p") == [])
    #expect(owner.open(protocol: "chat") == ["opened chat", "announce"])
    #expect(owner.read().notes == ["a: done"])
  }

  @Test func aSendIsDoneWhenTheConnectionHasTakenItsLastByte() {
    let owner = Owner()
    _ = owner.open()
    owner.send("a", "12345")
    owner.send("b", "1")
    // The header of a client's frame has 6 bytes.
    #expect(owner.read(10) == (10, []))
    #expect(owner.read(1) == (1, ["a: done"]))
    #expect(owner.read() == (7, ["b: done"]))
    #expect(owner.read() == (0, []))
  }

  /// A reader that has found bytes reads on until it finds none: it is told of the first bytes after that, once.
  @Test func theReaderIsToldWhereItFoundNothing() {
    let owner = Owner()
    _ = owner.open()
    #expect(owner.send("a", "1") == ["announce"])
    #expect(owner.send("b", "2") == [])
    #expect(owner.read(7).notes == ["a: done"])
    #expect(owner.send("c", "3") == [])
    #expect(owner.read().notes == ["b: done", "c: done"])
    #expect(owner.ping("p") == ["announce"])
    #expect(owner.send("d", "4") == [])
  }

  @Test func onlyWhoMayStopIsStopped() {
    let owner = Owner()
    _ = owner.open()
    owner.receive("handler", mayStop: false)
    owner.receive("waiter")
    #expect(owner.stopReceiving(at: 0) == ["waiter: stopped"])
    #expect(owner.take(Self.text("1")) == ["handler: 1"])
  }

  @Test func aPongAnswersThePingsBeforeIt() {
    let owner = Owner()
    _ = owner.open()
    for name in ["p", "q", "r"] { owner.ping(name) }
    let second = WebSocketPeer.frame(0x8a, withUnsafeBytes(of: UInt64(2).bigEndian) { Data($0) })
    #expect(owner.take(second) == ["p: done", "q: done"])
    #expect(owner.take(second) == [])
    #expect(owner.end(.timedOut) == ["r: error -1001"])
  }

  // MARK: Receiving

  @Test func receiversAndMessagesMeetInOrder() {
    let owner = Owner()
    _ = owner.open()
    owner.receive("a")
    owner.receive("b")
    #expect(owner.take(Self.text("1") + Self.text("2") + Self.text("3")) == ["a: 1", "b: 2", "buffered 1"])
    #expect(owner.receive("c") == ["c: 3", "consumed 1"])
  }

  @Test func whatHasComeIsTakenWithoutAWaiter() {
    let owner = Owner(limit: 1)
    _ = owner.open()
    #expect(owner.takeMessage().message == nil)
    _ = owner.take(Self.text("1") + Self.text("2") + Self.text("3"))
    #expect(owner.takeMessage() == ("1", ["consumed 1", "buffered 1"]))
    #expect(owner.receive("a") == ["a: 2", "consumed 1", "buffered 1"])
    #expect(owner.takeMessage() == ("3", ["consumed 1"]))
    #expect(owner.takeMessage().message == nil)
  }

  @Test func aReceiverThatStopsLosesNoMessage() {
    let owner = Owner()
    _ = owner.open()
    owner.receive("a")
    owner.receive("b")
    #expect(owner.stopReceiving(at: 0) == ["a: stopped"])
    #expect(owner.stopReceiving(at: 0) == [])
    #expect(owner.take(Self.text("1")) == ["b: 1"])
  }

  @Test func messagesBeyondTheLimitStayInTheConnection() {
    let owner = Owner(limit: 1)
    _ = owner.open()
    #expect(owner.take(Self.text("1") + Self.text("2")) == ["buffered 1"])
    #expect(owner.receive("a") == ["a: 1", "consumed 1", "buffered 1"])
  }

  // MARK: The end

  @Test func theFrameOfThePeerEndsTheConnectionOnceAnswered() {
    let owner = Owner()
    _ = owner.open()
    owner.receive("a")
    #expect(owner.take(WebSocketPeer.close(1001, Data("bye".utf8))) == ["closed 1001 bye", "expectEnd", "announce"])
    #expect(owner.send("b", "1") == ["b: error -1005"])
    // Two bytes of header, four of the mask, two of the code.
    #expect(owner.read() == (8, ["end done"]))
    #expect(owner.connectionEnded() == "done")
    #expect(owner.end(.networkConnectionLost) == ["a: error -1005"])
    #expect(owner.closeCode == 1001)
  }

  /// Codes without a name are numbers, as named ones are: registered later (1012 to 1014), by libraries (3000), by programs (4000).
  @Test(arguments: [1012, 1013, 1014, 3000, 4000, 4999]) func closeCodesWithoutANamePassBothWays(_ code: UInt16) throws
  {
    let peers = Owner()
    _ = peers.open()
    #expect(peers.take(WebSocketPeer.close(code, Data())) == ["closed \(code) -", "expectEnd", "announce"])
    #expect(peers.closeCode == Int(code))
    let own = try #require(URLSessionWebSocketTask.CloseCode(rawValue: Int(code)))
    let owner = Owner()
    _ = owner.open()
    _ = owner.change { $0.close(own, reason: Data("why".utf8)) }
    // Two bytes of header, four of the mask, two of the code, three of the reason.
    #expect(owner.read().bytes == 11)
  }

  @Test func whatBreaksTheProtocolIsTheTasksError() {
    let owner = Owner()
    _ = owner.open()
    #expect(owner.take(Data([0x83, 0])) == ["expectEnd", "announce"])
    #expect(owner.read().notes == ["end error -1011"])
    #expect(owner.connectionEnded(URLError(.networkConnectionLost)) == "error -1011")
    #expect(owner.closeCode == 1002)
  }

  @Test func aConnectionThatEndsWithoutACloseFrameIsLost() {
    let owner = Owner()
    #expect(owner.connectionEnded() == "error -1005")
    #expect(owner.closeCode == 0)
    _ = owner.open()
    #expect(owner.connectionEnded() == "error -1005")
    #expect(owner.closeCode == 1006)
    #expect(owner.connectionEnded(URLError(.timedOut)) == "error -1001")
  }

  @Test func nothingFollowsACloseFrame() {
    let owner = Owner()
    _ = owner.open()
    owner.send("a", "1")
    #expect(owner.change { $0.close(.goingAway, reason: nil) } == ["expectEnd"])
    #expect(owner.send("b", "2") == ["b: error -1005"])
    #expect(owner.ping("p") == ["p: error -1005"])
    #expect(owner.read().notes == ["a: done"])
  }

  /// A send that meets a cancellation on its way fails as one, whichever comes first.
  @Test(arguments: [false, true]) func whatFollowsACancellationIsCancelled(isClosing: Bool) {
    let owner = Owner()
    _ = owner.open()
    if isClosing { _ = owner.change { $0.close(.goingAway, reason: nil) } }
    _ = owner.change { $0.cancel() }
    #expect(owner.send("a", "1") == ["a: error -999"])
    #expect(owner.ping("p") == ["p: error -999"])
  }

  /// The peer may answer the close frame, and close the connection, before the task's own cancellation is there.
  @Test func aPeerThatAnswersACancellationDoesNotChangeTheError() {
    let owner = Owner()
    _ = owner.open()
    _ = owner.take(Self.text("1"))
    _ = owner.change { $0.cancel() }
    _ = owner.take(WebSocketPeer.close(1000, Data()))
    #expect(owner.send("a", "1") == ["a: error -999"])
    #expect(owner.read().notes == ["end error -999"])
    #expect(owner.connectionEnded() == "error -999")
    #expect(owner.connectionEnded(URLError(.networkConnectionLost)) == "error -999")
    #expect(owner.end(.networkConnectionLost) == [])
    #expect(owner.receive("b") == ["b: error -999"])
  }

  @Test func theEndAnswersWhoWaits() {
    let owner = Owner()
    owner.receive("a")
    owner.send("b", "1")
    #expect(owner.end(.cancelled) == ["b: error -999", "a: error -999"])
    #expect(owner.end(.timedOut) == [])
    #expect(owner.receive("c") == ["c: error -999"])
    #expect(owner.send("d", "1") == ["d: error -999"])
    #expect(owner.open() == [])
  }

  @Test(arguments: [false, true]) func whatHasComeOutlivesTheEndButForACancellation(isCancelled: Bool) {
    let owner = Owner()
    _ = owner.open()
    _ = owner.take(Self.text("1"))
    _ = owner.end(isCancelled ? .cancelled : .networkConnectionLost)
    #expect(owner.receive("a").first == (isCancelled ? "a: error -999" : "a: 1"))
    #expect(owner.take(Self.text("2")) == [])
  }
}
