import Foundation
import URLLoading
import URLLoadingTestServers

@testable import urlloadd

/// A program that does with the list of its tasks what a test says. Its calls block.
final class ListReader {
  let socket: BackgroundSocket
  private var lastNumber = 0

  /// Connects to the service, and attaches the session `test`.
  init(_ fixture: BackgroundFixture, version: Int = BackgroundWire.version) throws {
    socket = try BackgroundSocket(to: fixture.place)
    send(.hello(version: version, package: "0", program: nil))
    send(.attach(session: BackgroundSessionDescription(identifier: "test", program: "/bin/true")))
  }

  deinit { socket.end() }

  /// - Returns: the number of the command.
  @discardableResult
  func send(_ command: BackgroundCommand) -> Int {
    lastNumber += 1
    if let bytes = BackgroundFrames.encoded(NumberedCommand(number: lastNumber, command: command)) {
      _ = socket.send(bytes)
    }
    return lastNumber
  }

  /// Takes reports until one that a test waits for.
  /// - Parameter isLast: whether a report is that one; it may answer.
  /// - Returns: whether it came; false where the connection ended first.
  func read(until isLast: (BackgroundReport) throws -> Bool) rethrows -> Bool {
    while let report = socket.receive() {
      if try isLast(report) { return true }
    }
    return false
  }
}
