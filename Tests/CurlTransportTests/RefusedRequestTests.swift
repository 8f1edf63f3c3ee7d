import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoadingCurlTransport

/// Requests that a server refuses unprocessed, over HTTP/2 (RFC 9113, sections 6.8 and 8.7).
@Suite(.timeLimit(.minutes(4))) struct RefusedRequestTests {
  enum Refusal: String, CaseIterable {
    case reset, goAway
  }

  /// A server that answers all requests but those that it refuses.
  private final class Peer: Sendable {
    let front: TLSFront
    let engine: TransferEngine
    private let server: ScriptedServer
    private let count: Watched<Int>

    /// - Parameter refused: numbers of requests, from 1 over all connections.
    init(_ refusal: Refusal, _ refused: ClosedRange<Int>) async throws {
      let count = Watched(0)
      server = try ScriptedServer { connection in
        try connection.beginHTTP2()
        while true {
          let stream = try connection.readHTTP2Request()
          let number = count.update { count in
            count += 1
            return count
          }
          guard refused.contains(number) else {
            try connection.send([.head(stream: stream), .body(stream: stream, Data("whole".utf8), ends: true)])
            continue
          }
          switch refusal {
          case .reset: try connection.send([.reset(stream: stream, error: 7)])
          case .goAway: try connection.send([.goAway(last: stream == 1 ? 0 : stream - 2)])
          }
        }
      }
      self.count = count
      front = try await TLSFront.start(before: server.port)
      engine = try await makeTrustingEngine()
    }

    var requests: Int { count.value }

    func run(_ method: String, _ body: TransferRequest.Body = .none) async throws -> Recorder.State {
      var request = TransferRequest(url: front.url().absoluteString, method: method)
      request.body = body
      return try await engine.run(request)
    }
  }

  /// libcurl repeats what RST_STREAM refused, and leaves the rest to the owner.
  private static func isRepeated(_ state: Recorder.State) -> Bool {
    state.failure.map(\.isRepeatable) ?? (state.body == Array("whole".utf8))
  }

  @Test(arguments: Refusal.allCases, ["GET", "POST", "PATCH"])
  func theFirstOfAConnectionMayBeRepeated(refusal: Refusal, method: String) async throws {
    let peer = try await Peer(refusal, 1...1)
    let state = try await peer.run(method, method == "GET" ? .none : .data(Data("a body".utf8)))
    #expect(Self.isRepeated(state), "\(String(describing: state.failure))")
  }

  /// libcurl 8.14 and before say nothing of RST_STREAM on a connection that was used before.
  @Test(arguments: Refusal.allCases, ["GET", "POST", "PATCH"])
  func aLaterOneMayBeRepeatedWhereLibcurlTells(refusal: Refusal, method: String) async throws {
    let peer = try await Peer(refusal, 2...2)
    #expect(try await peer.run("GET").failure == nil)
    let state = try await peer.run(method, method == "GET" ? .none : .data(Data("a body".utf8)))
    guard refusal == .goAway || method == "GET" || LibcurlFacts.tellsEveryRefusal else {
      let failure = try #require(state.failure)
      #expect(failure.reason == .notRepeated(method: method))
      #expect(failure.message.contains("nothing tells whether"))
      #expect(peer.requests == 2)
      return
    }
    #expect(Self.isRepeated(state), "\(String(describing: state.failure))")
  }

  /// Another transfer reads what the server says.
  @Test func aGoAwayIsHeardByWhomeverItConcerns() async throws {
    let server = try ScriptedServer { connection in
      try connection.beginHTTP2()
      let first = try connection.readHTTP2Request()
      guard connection.number == 1 else {
        return try connection.send([.head(stream: first), .body(stream: first, Data("again".utf8), ends: true)])
      }
      try connection.send([.head(stream: first)])
      _ = try connection.readHTTP2Request()
      try connection.send([.body(stream: first, Data("first".utf8)), .goAway(last: first)])
      try connection.send([.body(stream: first, Data(), ends: true)])
      _ = connection.waitForPeerClose()
    }
    let front = try await TLSFront.start(before: server.port)
    let engine = try await makeTrustingEngine()
    let url = front.url().absoluteString
    let recorder = Recorder()
    _ = engine.start(TransferRequest(url: url), handler: recorder)
    _ = try await recorder.wait { $0.head != nil }
    let state = try await engine.run(TransferRequest(url: url, method: "POST"))
    #expect(
      state.failure.map(\.isRepeatable) ?? (state.body == Array("again".utf8)), "\(String(describing: state.failure))")
    let first = try await recorder.completion()
    #expect(first.failure == nil && first.body == Array("first".utf8), "\(String(describing: first.failure))")
  }

  @Test(arguments: Refusal.allCases)
  func itIsRepeatedOnce(refusal: Refusal) async throws {
    let peer = try await Peer(refusal, 1...100)
    var request = TransferRequest(url: peer.front.url().absoluteString, method: "POST")
    request.isRepetition = true
    let failure = try #require(try await peer.engine.run(request).failure)
    #expect(failure.reason == .refused && !failure.isRepeatable, "\(failure)")
    #expect(peer.requests == 1)
  }

  @Test func aBodyThatCannotBeReadAgainIsLeftToTheOwner() async throws {
    let peer = try await Peer(.reset, 1...1)
    let source = TestBodySource(pattern(1000), canRewind: false)
    let failure = try #require(try await peer.run("POST", .source(source, length: 1000)).failure)
    #expect(failure.reason == .bodyNotRewindable && failure.isRepeatable, "\(failure)")
  }

  /// libcurl sends a request again on five new connections, and gives up.
  @Test(arguments: Refusal.allCases, ["GET", "PUT"])
  func whatIsRefusedAgainAndAgainMayBeRepeated(refusal: Refusal, method: String) async throws {
    let peer = try await Peer(refusal, 1...6)
    let state = try await peer.run(method, method == "GET" ? .none : .data(Data("a body".utf8)))
    #expect(Self.isRepeated(state), "\(String(describing: state.failure))")
  }

  /// What nobody has refused may have been carried out.
  @Test(arguments: ["breach", "close"])
  func anyOtherEndIsNoRefusal(end: String) async throws {
    let server = try ScriptedServer { connection in
      try connection.beginHTTP2()
      let first = try connection.readHTTP2Request()
      try connection.send([.head(stream: first, ends: true)])
      _ = try connection.readHTTP2Request()
      if end == "breach" {
        try connection.send([HTTP2Frame(.ping, [0])])
        _ = connection.waitForPeerClose()
      }
    }
    let front = try await TLSFront.start(before: server.port)
    let engine = try await makeTrustingEngine()
    #expect(try await engine.get(front.url().absoluteString).failure == nil)
    let state = try await engine.run(TransferRequest(url: front.url().absoluteString, method: "POST"))
    let failure = try #require(state.failure)
    #expect(failure.reason == .notRepeated(method: "POST") && !failure.isRepeatable, "\(failure)")
    #expect(server.connectionCount == 1)
  }
}
