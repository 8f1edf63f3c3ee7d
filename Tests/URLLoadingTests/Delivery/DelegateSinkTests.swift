import Foundation
import Glibc
import Testing
import URLLoadingTestServers

@testable import URLLoading

@Suite struct DelegateSinkTests {
  @Test func handsOverToADelegate() async throws {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    let delivery = Delivery(executor: .queue { queue })
    let received = Watched(Data())
    delivery.setDataHandler { data in received.update { $0.append(data) } }
    let sink = DelegateSink(delivery: delivery)
    let isHeld = try Data("abc".utf8).withUnsafeBytes { try sink.write($0) }
    #expect(isHeld)
    #expect(await received.wait { $0 == Data("abc".utf8) })
    #expect(sink.file == nil)
  }

  @Test func fileTakesOverInOrderWhileBytesCome() async throws {
    for _ in 0..<50 {
      let queue = OperationQueue()
      queue.isSuspended = true
      let delivery = Delivery(executor: .queue { queue })
      let sink = DelegateSink(delivery: delivery)
      let file = FileSink()
      let total = 2000
      let held = Watched(0)
      let isDone = AsyncEvent()
      Thread.detachNewThread {
        for number in 0..<total {
          let piece = Data("\(number);".utf8)
          let isHeld = piece.withUnsafeBytes { (try? sink.write($0)) ?? false }
          if isHeld { held.update { $0 += piece.count } }
        }
        isDone.signal()
      }
      let moved = try sink.moveOn(to: file)
      #expect(await isDone.wait())
      // Every byte that was said to wait was moved, and no other.
      #expect(moved == held.value)
      let url = try file.finish()
      defer { unlink(url.path) }
      #expect(try String(decoding: Data(contentsOf: url), as: UTF8.self) == (0..<total).map { "\($0);" }.joined())
    }
  }
}
