import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

/// Sessions and users with different identities never share a connection.
@Suite(.timeLimit(.minutes(8))) struct MixedIdentityTests {
  /// Who loads: a session, a delegate of it or of the task, and the name that the server has to see.
  private struct User: Sendable {
    var name: String
    var session: URLSession
    var delegate: TaskTrustDelegate?
    var subject: String?
  }

  private static let loads = 1000

  private static func session(_ identity: SecIdentity?) async throws -> URLSession {
    let delegate = TrustDelegate { challenge in
      if let trust = challenge.protectionSpace.serverTrust { return (.useCredential, URLCredential(trust: trust)) }
      guard let identity else { return (.performDefaultHandling, nil) }
      return (.useCredential, URLCredential(identity: identity, certificates: nil, persistence: .forSession))
    }
    return delegate.session()
  }

  private static func identity(_ name: String) async throws -> SecIdentity {
    try SecIdentity(pem: Data(contentsOf: await TLSCorpus.shared.file("\(name).pem")))
  }

  private static func users() async throws -> [User] {
    let (alice, bob) = (try await identity("alice"), try await identity("bob"))
    let configuration = URLSessionConfiguration.ephemeral
    configuration.connectionProxyDictionary = [:]
    configuration.certificateAuthorityFile = try await TLSCorpus.shared.file("authorities.pem")
    let plain = URLSession(configuration: configuration)
    return [
      User(name: "alice", session: try await session(alice), subject: "alice"),
      User(name: "bob", session: try await session(bob), subject: "bob"),
      User(name: "alice-again", session: try await session(alice), subject: "alice"),
      User(name: "nobody", session: try await session(nil)),
      User(name: "without-delegate", session: plain),
      User(name: "task-of-alice", session: plain, delegate: TaskTrustDelegate(alice), subject: "alice"),
      User(name: "task-of-bob", session: plain, delegate: TaskTrustDelegate(bob), subject: "bob"),
      User(name: "task-of-nobody", session: plain, delegate: TaskTrustDelegate()),
    ]
  }

  @Test(arguments: ["1.2", "1.3"]) func noConnectionHasTwoUsers(_ version: String) async throws {
    let condition = "client optional"
    let server = try await TLSCorpus.shared.start(condition) { ($0.minimum, $0.maximum) = (version, version) }
    let users = try await Self.users()
    var random = SeededGenerator(seed: 27)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<Self.loads {
        let user = users[Int.random(in: users.indices, using: &random)]
        let url = try server.url(condition, "/\(user.name)/\(index)")
        group.addTask {
          let (data, _) = try await user.session.data(from: url, delegate: user.delegate)
          let line = String(decoding: data, as: UTF8.self).split(separator: "\n").last
          #expect(line == "subject \(user.subject ?? "-")")
        }
        // So many at once that connections are used again, and new ones made.
        if index >= 40 { try await group.next() }
      }
      try await group.waitForAll()
    }
    let log = server.log(of: condition)
    #expect(log.requests.count == Self.loads)
    let subjects = Dictionary(uniqueKeysWithValues: log.handshakes.map { ($0.connection, $0.subject) })
    let connections = Dictionary(grouping: log.requests, by: \.connection)
    for (connection, requests) in connections {
      let names = Set(requests.map { $0.path.split(separator: "/")[0] })
      #expect(names.count == 1, "connection \(connection): \(names)")
      let user = users.first { $0.name == names.first.map(String.init) }
      #expect(subjects[connection] == user?.subject, "connection \(connection) of \(names)")
    }
    // Connections were used again: otherwise this says nothing.
    #expect(connections.count < Self.loads)
    for user in users { user.session.finishTasksAndInvalidate() }
    await server.stop()
  }
}
