import Foundation
import URLLoading
import URLLoadingTestServers

/// Loads whose host is a name: needs a resolv.conf that names 127.0.0.1.
enum NameScenario {
  private static func url(_ port: UInt16) -> URL {
    URL(string: "http://name.test:\(port)/") ?? URL(fileURLWithPath: "/")
  }

  private static func servers() throws -> (NameService, ScriptedServer) {
    (try NameService(), try .http { _ in HTTPResponse(text: "hello") })
  }

  /// There is no way to the name service at first.
  static func comesBack(_ loopback: Loopback) async throws {
    let (names, server) = try await loopback.serving { try servers() }
    try await Scenario.load(url(server.port), loopback)
    say("asked \(names.questionCount > 0)")
  }

  /// The name service can do nothing at first, and then answers: the kernel tells of no change.
  static func answersAgain(_ loopback: Loopback) async throws {
    try loopback.comeUp()
    let (names, server) = try servers()
    names.answer = .failure
    let witness = Witness()
    witness.session().dataTask(with: url(server.port)).resume()
    try await witness.waitUntil { $0.told > 0 || $0.ended > 0 }
    names.answer = .addresses
    try await witness.waitUntil { $0.ended == 1 }
    witness.report()
  }

  static func doesNotExist(_ loopback: Loopback) async throws {
    try loopback.comeUp()
    let (names, server) = try servers()
    names.answer = .noName
    try await loadWithNetwork(url(server.port))
  }

  /// The name has two addresses: to one there is no route, at the other nobody listens.
  static func refusesOnOneAddress(_ loopback: Loopback) async throws {
    try loopback.comeUp()
    let (names, _) = try servers()
    names.answer = .bothFamilies
    try await loadWithNetwork(url(FreePort.pick()))
    say("asked \(names.questionCount > 0)")
  }

  private static func loadWithNetwork(_ url: URL) async throws {
    let witness = Witness()
    witness.session().dataTask(with: url).resume()
    try await witness.waitUntil { $0.told > 0 || $0.ended == 1 }
    witness.report()
  }
}
