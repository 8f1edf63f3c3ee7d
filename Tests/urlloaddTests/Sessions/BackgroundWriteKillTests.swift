import Foundation
import Testing
import URLLoadingTestServers

/// The service is killed in front of each of its writes, one after the other: what it leaves on the disk at any of them is a whole queue.
///
/// A library that counts calls does it, see `Tests/Fixtures/KillAtWrite`. `make kill-at-write` goes through all of them, `make test` through a
/// few.
@Suite(.timeLimit(.minutes(30)), .enabled(if: !Sanitizing.isOn)) struct BackgroundWriteKillTests {
  /// - Parameter size: of a body that is resumed, and of one that begins anew.
  @Test(arguments: [1_200_000, 200_000]) func aKillInFrontOfAnyWriteLosesNothing(size: Int) async throws {
    let body = TestFiles.pattern(count: size, seed: 31)
    let disk = try await PreloadedDisk()
    var last = 0
    for call in PreloadedDisk.calls(every: 17) {
      guard try await Self.isKilled(at: call, disk, body) else { break }
      last = call
    }
    // A scenario has more writes than this; where none is reached, nothing was tested.
    #expect(last >= 52)
    disk.remove()
  }

  /// - Returns: whether the service came to that write; else all are through.
  private static func isKilled(at call: Int, _ disk: PreloadedDisk, _ body: Data) async throws -> Bool {
    let transfers = try InterruptedTransfers(of: body, killedAt: call, pause: 500)
    let fixture = transfers.fixture
    let program = try transfers.start(service: transfers.service(on: disk))
    for number in 1...2 {
      #expect(try await program.says("ended \(number) 0 20"), "write \(call): \(program.lines)")
    }
    #expect(program.all("ended").count == 2, "write \(call): \(program.lines)")
    #expect(program.all("data") == ["2 2"], "write \(call): \(program.lines)")
    #expect(try TestFiles.firstDifference(in: fixture.taken.appending(path: "1"), count: body.count, seed: 31) == nil)
    // A transfer may begin before its task is on the disk: the part of one that is not stays for a while, as a program's would.
    #expect(
      try await eventually { fixture.files.allSatisfy { $0.hasPrefix("URLLoadingDownload_") } },
      "write \(call): \(fixture.files)")
    program.tell("tasks")
    #expect(try await program.says("tasks"), "write \(call)")
    #expect(program.all("tasks") == [""], "write \(call)")
    let wasKilled = transfers.wasKilled
    await program.kill()
    await transfers.stop()
    return wasKilled
  }
}
