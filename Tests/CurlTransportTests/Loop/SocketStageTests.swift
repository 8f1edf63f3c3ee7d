import Testing

@testable import URLLoadingCurlTransport

@Suite("SocketStage")
struct SocketStageTests {
  private var stage = SocketStage.opened

  @Test("The end of a socket that has had its connection is told, whatever is waited for")
  mutating func connected() {
    #expect(stage.wants(isReadable: false, isWritable: true, isConnected: false) == .later)
    #expect(stage == .connecting)
    #expect(stage.wants(isReadable: true, isWritable: false, isConnected: false) == .later)
    for (isReadable, isWritable) in [(false, false), (true, false), (false, true), (true, true), (false, false)] {
      #expect(stage == .connected)
      #expect(stage.wants(isReadable: isReadable, isWritable: isWritable, isConnected: false) == .later)
    }
  }

  @Test(
    "A connection that was written without another wait has been made, and perhaps answered",
    arguments: [SocketStage.opened, .connecting], [false, true])
  func answeredAtOnce(stage: SocketStage, isReadable: Bool) {
    var stage = stage
    #expect(stage.wants(isReadable: isReadable, isWritable: false, isConnected: true) == .later)
    #expect(stage == .connected)
  }

  @Test("To be waited for in both directions at first makes it no connection yet")
  mutating func both() {
    #expect(stage.wants(isReadable: true, isWritable: true, isConnected: false) == .later)
    #expect(stage == .connecting)
  }

  @Test("A socket that nobody waits for any more while it connects may be closed")
  mutating func notConnected() {
    _ = stage.wants(isReadable: false, isWritable: true, isConnected: false)
    #expect(stage.wants(isReadable: false, isWritable: false, isConnected: false) == .atOnce)
    #expect(stage == .unannounced)
  }

  @Test("What is only read at first is no connection")
  mutating func pipe() {
    #expect(stage.wants(isReadable: true, isWritable: false, isConnected: false) == .atOnce)
    #expect(stage == .unannounced)
  }

  @Test(
    "What may be closed without a word stays so",
    arguments: [(false, false), (true, false), (false, true), (true, true)])
  func unannounced(isReadable: Bool, isWritable: Bool) {
    var stage = SocketStage.unannounced
    #expect(stage.wants(isReadable: isReadable, isWritable: isWritable, isConnected: false) == .atOnce)
    #expect(stage == .unannounced)
  }
}
