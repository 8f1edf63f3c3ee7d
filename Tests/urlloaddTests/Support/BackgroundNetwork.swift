import Foundation
import URLLoadingTestServers

/// A network of its own with a server, whose only interface is down until ``comeUp()``.
///
/// A connectivity worker keeps it, and serves. Programs are started in it by nsenter(1), and what they start is in it as well.
struct BackgroundNetwork {
  private let keeper: BackgroundProgram
  private let port: String
  /// The user and the network are the keeper's. Both are this user's: none of the files and sockets are another's.
  private let entry: [String]

  init(_ fixture: BackgroundFixture) async throws {
    keeper = try BackgroundProgram(
      ["background"], of: ["unshare", "-rn", BuiltProgram.path("URLLoadingConnectivityWorker")],
      directory: fixture.directory, environment: fixture.environment)
    guard try await keeper.says("port ", timeout: .seconds(60)), let port = keeper.all("port").first else {
      throw TestServerError("no server in a network of its own: \(keeper.lines)")
    }
    self.port = port
    entry = ["nsenter", "--target", "\(keeper.process.processID)", "--user", "--net", "--preserve-credentials"]
  }

  /// What the server was asked for: the method, the path and the bytes of the body.
  var requests: [String] { keeper.all("request") }

  func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

  /// Starts a program of the fixture in the network.
  func program(_ fixture: BackgroundFixture, _ arguments: String...) throws -> BackgroundProgram {
    try fixture.program(arguments: arguments, of: entry + [BackgroundProgram.workerPath])
  }

  func comeUp() async throws { try await change("up") }

  /// Takes the interface down. The server gives half of `/long` before, and after that what it is asked for; that has two megabytes of the
  /// pattern 30.
  func goDown() async throws { try await change("down") }

  private func change(_ state: String) async throws {
    let count = keeper.all("is").count
    keeper.tell(state)
    guard try await eventually({ keeper.all("is").count > count }) else {
      throw TestServerError("the network is not \(state): \(keeper.lines)")
    }
  }

  func stop() async { await keeper.kill() }
}
