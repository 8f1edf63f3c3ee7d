import Foundation
import Testing
import URLLoading

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
    #expect(throws: BackgroundFrames.Flaw.tooLong(length: 0xFFFF_FFFF)) { try frames.next(NumberedCommand.self) }
  }

  @Test func whatIsNoMessageIsRefused() {
    var frames = BackgroundFrames()
    frames.append([0, 0, 0, 3] + Array("{}}".utf8))
    #expect(throws: BackgroundFrames.Flaw.unreadable) { try frames.next(NumberedCommand.self) }
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
