import Foundation
import Glibc

/// A server program with a directory of its own, started and stopped by tests.
package final class ServerProcess: Sendable {
  /// The server's files. Deleted with this object.
  package let directory: TemporaryDirectory
  private let process: ChildProcess
  private let name: String

  /// Starts a server and waits until it answers on all its ports.
  ///
  /// - Parameters:
  ///   - name: for messages.
  ///   - ports: TCP ports of 127.0.0.1.
  ///   - timeout: how long the server may take to answer.
  package static func start(
    _ name: String, _ executable: String, _ arguments: [String], environment: [String: String?] = [:],
    directory: TemporaryDirectory, ports: [UInt16], timeout: Duration = .seconds(10)
  ) async throws -> ServerProcess {
    let log = directory.file("server.log")
    let process = try ChildProcess(
      executable, arguments, environment: environment, directory: directory.url, output: log, error: log)
    let server = ServerProcess(name: name, process: process, directory: directory)
    let answered = try await eventually(timeout: timeout) {
      process.exitStatus != nil || ports.allSatisfy { FreePort.answers($0) }
    }
    if let status = process.exitStatus {
      throw TestServerError("\(name) ended at its start with \(status):\n\(server.log)")
    }
    guard answered else {
      await server.stop()
      throw TestServerError("\(name) does not answer on \(ports) after \(timeout):\n\(server.log)")
    }
    return server
  }

  /// Tries to start a server up to three times, since somebody else may take a free port before the server does.
  package static func retrying<Server>(_ start: () async throws -> Server) async throws -> Server {
    for _ in 0..<2 {
      if let server = try? await start() { return server }
    }
    return try await start()
  }

  private init(name: String, process: ChildProcess, directory: TemporaryDirectory) {
    self.name = name
    self.process = process
    self.directory = directory
  }

  /// What the server wrote to its standard output and error so far.
  package var log: String { text(of: "server.log") }

  /// The text of a file in the server's directory, such as another log; empty if there is none.
  package func text(of file: String) -> String {
    (try? Data(contentsOf: directory.file(file))).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  /// Waits until a log of the server contains a text; false if it does not within the timeout.
  package func logContains(_ text: String, in file: String = "server.log", timeout: Duration = .seconds(5)) async
    -> Bool
  {
    (try? await eventually(timeout: timeout) { self.text(of: file).contains(text) }) ?? false
  }

  /// Whether the server runs.
  package var isRunning: Bool { process.exitStatus == nil }

  /// The number of the server's process.
  package var processID: pid_t { process.processID }

  /// Sends a signal to the server, if it still runs.
  package func send(signal: Int32) { process.send(signal: signal) }

  /// Stops the server and deletes its files.
  package func stop() async {
    await process.stop()
    directory.remove()
  }
}
