import Foundation
import Testing
import URLLoading

@testable import urlloadd

/// What the service hears of a program that is about to end.
@Suite struct PeerTests {
  @Test func whatWasSaidBeforeTheEndIsHeard() throws {
    let (peer, program) = try Peer.connected()
    let command = NumberedCommand(number: 7, command: .tookEnd(task: 3))
    let bytes = try #require(BackgroundFrames.encoded(command))
    #expect(send(program, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count)
    close(program)
    // Nobody takes this any more.
    peer.send(.event(task: 4, .waitsForConnectivity))
    peer.flush()
    #expect(!peer.wantsToSend && !peer.hasEnded && !peer.isClosed)
    #expect(try #require(peer.receive()).map(\.number) == [7])
    #expect(peer.hasEnded && peer.receive() == nil)
  }

  /// The service leaves metrics out where an end would be too large with them.
  @Test func whatIsTooLargeIsNotSent() throws {
    let (peer, program) = try Peer.connected()
    #expect(!peer.sendIfItFits(.event(task: 1, .response(Data(count: BackgroundFrames.limit)))))
    #expect(!peer.wantsToSend)
    #expect(peer.sendIfItFits(.event(task: 1, .waitsForConnectivity)))
    #expect(peer.wantsToSend)
    peer.end()
    close(program)
  }

  @Test func aProgramThatIsThereHasNotEnded() throws {
    let (peer, program) = try Peer.connected()
    #expect(!peer.hasEnded && peer.receive()?.isEmpty == true)
    peer.end()
    #expect(peer.hasEnded)
    close(program)
  }
}
