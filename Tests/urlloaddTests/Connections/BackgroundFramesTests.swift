import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// What goes over the wire.
@Suite struct BackgroundFramesTests {
  @Test func messagesComeWholeWhateverTheirPieces() throws {
    let commands = (1...5).map { NumberedCommand(number: $0, command: .resume(task: $0)) }
    let bytes = try commands.flatMap { try #require(BackgroundFrames.encoded($0)) }
    for size in [1, 3, 7, 1000] {
      var frames = BackgroundFrames()
      var numbers: [Int] = []
      for start in stride(from: 0, to: bytes.count, by: size) {
        frames.append(bytes[start..<min(start + size, bytes.count)])
        while let command = try frames.next(NumberedCommand.self) { numbers.append(command.number) }
      }
      #expect(numbers == [1, 2, 3, 4, 5])
    }
  }

  @Test func lengthsAboveTheLimitAreRefusedBeforeTheirBytes() {
    var frames = BackgroundFrames()
    frames.append([0xFF, 0xFF, 0xFF, 0xFF])
    #expect(throws: BackgroundFrames.FrameError.tooLong(length: 0xFFFF_FFFF)) { try frames.next(NumberedCommand.self) }
  }

  @Test func whatIsNoMessageIsRefused() {
    var frames = BackgroundFrames()
    frames.append([0, 0, 0, 3] + Array("{}}".utf8))
    #expect(throws: BackgroundFrames.FrameError.unreadable) { try frames.next(NumberedCommand.self) }
  }

  private func task() throws -> BackgroundTaskDescription {
    var request = URLRequest(url: try #require(URL(string: "https://example.org/a?b#c")))
    request.setValue("x", forHTTPHeaderField: "A")
    var task = BackgroundTaskDescription(kind: .upload, request: BackgroundValues.data(of: request))
    task.identifier = 17
    (task.body, task.bodyLength, task.resumeData) = ("upload-1", 1 << 40, Data([0, 1, 2]))
    task.hints.label = "a label"
    task.hints.earliestBegin = Date(timeIntervalSinceReferenceDate: 800_000_000.1)
    return task
  }

  private func reports() throws -> [BackgroundReport] {
    var outcome = BackgroundOutcome()
    outcome.file = "/a/file"
    outcome.error = BackgroundFailure(URLError(.timedOut))
    outcome.resumeData = Data([7])
    outcome.progress.received = 9
    outcome.progress.expectedToReceive = -1
    return [
      .task(try task(), isSuspended: true), .done(number: 3), .event(task: 4, .request(Data([1]))),
      .event(task: 4, .waitsForConnectivity), .event(task: 4, .response(Data([2]))),
      .event(task: 4, .resumed(offset: 5, expected: -1)), .event(task: 4, .progress(outcome.progress)),
      .event(task: 4, .ended(outcome)),
    ]
  }

  private func commands() throws -> [NumberedCommand] {
    let commands: [BackgroundCommand] = [
      .create(task: try task()), .resume(task: 1), .suspend(task: 2), .tookFile(task: 3), .tookEnd(task: 4),
    ]
    return commands.enumerated().map { NumberedCommand(number: $0.offset, command: $0.element) }
  }

  /// All that a message says, in an order that does not change.
  private func said(_ message: some Encodable) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return try encoder.encode(message)
  }

  private func read<Message: BackgroundMessage>(_ bytes: [UInt8], as type: Message.Type) throws -> Message? {
    var frames = BackgroundFrames()
    frames.append(bytes)
    return try frames.next(type)
  }

  private func checkCopies<Message: BackgroundMessage>(of messages: [Message], first: UInt8) throws {
    for message in messages {
      let bytes = try #require(BackgroundFrames.encoded(message))
      #expect(bytes.dropFirst(4).first == first)
      let copy = try #require(try read(bytes, as: Message.self))
      #expect(try said(copy) == said(message))
    }
  }

  @Test func messagesArriveAsTheyWere() throws {
    try checkCopies(of: try commands(), first: CompactForm.version)
    try checkCopies(of: try reports(), first: CompactForm.version)
  }

  /// What versions greet each other with is JSON in each of them.
  @Test func greetingsAreJSON() throws {
    let session = BackgroundSessionDescription(identifier: "s", program: "/bin/true")
    let commands: [BackgroundCommand] = [
      .hello(version: 1, package: "0", program: "/bin/true"), .attach(session: session),
    ]
    let first = UInt8(ascii: "{")
    try checkCopies(of: commands.map { NumberedCommand(number: 0, command: $0) }, first: first)
    try checkCopies(of: [BackgroundReport.welcome(version: 1, package: "0", files: "/files")], first: first)
  }

  /// Pieces of lists are seldom.
  @Test func piecesAreJSON() throws {
    let command = NumberedCommand(number: 0, command: .tookPiece(number: 1 << 40))
    try checkCopies(of: [command], first: UInt8(ascii: "{"))
    try checkCopies(of: [BackgroundReport.piece(number: 1 << 40)], first: UInt8(ascii: "{"))
  }

  /// A later version may say more, and no less.
  @Test func greetingsOfOtherVersionsAreRead() throws {
    let welcome = #"{"welcome":{"version":2,"package":"9.9","files":"/files","more":[1]}}"#
    guard case .welcome(2, "9.9", "/files")? = try read(framed(welcome), as: BackgroundReport.self) else {
      Issue.record("not read: \(welcome)")
      return
    }
    let hello = #"{"number":0,"command":{"hello":{"version":2,"package":"9.9","program":"/bin/true","more":[1]}}}"#
    let command = try read(framed(hello), as: NumberedCommand.self)?.command
    guard case .hello(2, "9.9", "/bin/true")? = command else {
      Issue.record("not read: \(hello)")
      return
    }
    // What an earlier version reads is what this one writes.
    let own = BackgroundReport.welcome(version: 1, package: "0", files: "/f")
    let written = try #require(BackgroundFrames.encoded(own))
    let said = try JSONDecoder().decode([String: Welcome].self, from: Data(written.dropFirst(4)))
    #expect(said == ["welcome": Welcome(version: 1, package: "0", files: "/f")])
  }

  /// What each version has in its answer to a greeting.
  private struct Welcome: Codable, Equatable {
    let version: Int
    let package: String
    let files: String
  }

  private func framed(_ text: String) -> [UInt8] {
    let length = text.utf8.count
    return [0, 0, UInt8(length >> 8), UInt8(length & 0xFF)] + Array(text.utf8)
  }

  @Test func cutAndFlippedOnesAreRefusedOrRead() throws {
    var random = SeededGenerator(seed: 32)
    func tamper<Message: BackgroundMessage>(_ message: Message) throws {
      let content = try #require(BackgroundFrames.encoded(message)).dropFirst(4)
      for length in 0..<content.count {
        let header: [UInt8] = [0, 0, UInt8(length >> 8), UInt8(length & 0xFF)]
        #expect(throws: BackgroundFrames.FrameError.unreadable, "\(length)") {
          try read(header + content.prefix(length), as: Message.self)
        }
      }
      for _ in 0..<2000 {
        var bytes: [UInt8] = [0, 0, UInt8(content.count >> 8), UInt8(content.count & 0xFF)] + content
        for _ in 0..<Int.random(in: 1...3, using: &random) {
          bytes[Int.random(in: 5..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
        }
        // What is read is written again.
        if let copy = try? read(bytes, as: Message.self) { #expect(BackgroundFrames.encoded(copy) != nil) }
      }
    }
    for command in try commands() { try tamper(command) }
    for report in try reports() { try tamper(report) }
  }

  @Test func requestsAndResponsesSurvive() throws {
    var request = URLRequest(url: try #require(URL(string: "https://u:p@example.org/a?b#c")))
    request.httpMethod = "POST"
    request.setValue("x", forHTTPHeaderField: "A")
    request.httpBody = Data("body".utf8)
    let copy = try #require(BackgroundValues.request(BackgroundValues.data(of: request)))
    #expect(copy == request)
    let url = try #require(request.url)
    let response = try #require(
      HTTPURLResponse(url: url, statusCode: 206, httpVersion: nil, headerFields: ["Content-Range": "bytes 1-2/9"]))
    let other = try #require(BackgroundValues.response(BackgroundValues.data(of: response)) as? HTTPURLResponse)
    #expect(other.statusCode == 206)
    #expect(other.contentRange == response.contentRange)
  }
}
