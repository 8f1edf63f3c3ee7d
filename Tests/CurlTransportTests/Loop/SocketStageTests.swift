import Testing

@testable import CurlTransport

@Suite("SocketStage")
struct SocketStageTests {
  private var stage = SocketStage.opened

  @Test("The end of a socket that has had its connection is told, whatever is waited for")
  mutating func connected() {
    #expect(stage.wants(isReadable: false, isWritable: true) == .later)
    #expect(stage == .connecting)
    #expect(stage.wants(isReadable: true, isWritable: false) == .later)
    for (isReadable, isWritable) in [(false, false), (true, false), (false, true), (true, true), (false, false)] {
      #expect(stage == .connected)
      #expect(stage.wants(isReadable: isReadable, isWritable: isWritable) == .later)
    }
  }

  @Test("A connection that is read and written at once has been made", arguments: [SocketStage.opened, .connecting])
  func both(stage: SocketStage) {
    var stage = stage
    #expect(stage.wants(isReadable: true, isWritable: true) == .later)
    #expect(stage == .connected)
  }

  @Test("A socket that nobody waits for any more while it connects may be closed")
  mutating func notConnected() {
    _ = stage.wants(isReadable: false, isWritable: true)
    #expect(stage.wants(isReadable: false, isWritable: false) == .atOnce)
    #expect(stage == .unannounced)
  }

  @Test("What is only read at first is no connection")
  mutating func pipe() {
    #expect(stage.wants(isReadable: true, isWritable: false) == .atOnce)
    #expect(stage == .unannounced)
  }

  @Test(
    "What may be closed without a word stays so",
    arguments: [(false, false), (true, false), (false, true), (true, true)])
  func unannounced(isReadable: Bool, isWritable: Bool) {
    var stage = SocketStage.unannounced
    #expect(stage.wants(isReadable: isReadable, isWritable: isWritable) == .atOnce)
    #expect(stage == .unannounced)
  }
}
