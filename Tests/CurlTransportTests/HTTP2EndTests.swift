import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoadingCurlTransport

/// How a body over HTTP/2 without Content-Length ends, and how it is cut off.
///
/// libcurl before 8.1 takes the end of a connection on which the server broke the rules for the end of its streams, and no way of telling
/// the two apart is right with all servers that keep the rules: it is believed, and so such a body looks whole.
@Suite(.timeLimit(.minutes(4))) struct HTTP2EndTests {
  /// A server whose script speaks HTTP/2, and an engine that trusts it.
  private final class Peer: Sendable {
    let server: ScriptedServer
    let front: TLSFront
    let engine: TransferEngine

    init(connectionsPerHost: Int = 6, resets: Bool = false, _ script: @escaping @Sendable (Connection) throws -> Void)
      async throws
    {
      server = try ScriptedServer { connection in
        try connection.beginHTTP2()
        try script(connection)
      }
      front = try await TLSFront.start(before: server.port, resets: resets)
      var configuration = TransferEngineConfiguration()
      configuration.proxy = .direct
      configuration.maximumConnectionsPerHost = connectionsPerHost
      configuration.tls.caFile = try await TestCertificates.shared.authority.path
      engine = TransferEngine(configuration: configuration)
    }

    func get() async throws -> Recorder.State { try await engine.get(front.url().absoluteString) }
  }

  /// A breach of the rules, as RFC 9113 has it.
  struct Breach: Sendable, CustomTestStringConvertible {
    let name: String
    let frame: HTTP2Frame
    var testDescription: String { name }
  }

  static let breaches = [
    Breach(name: "DATA on stream 0", frame: HTTP2Frame(.data, [1])),
    Breach(name: "HEADERS on stream 0", frame: HTTP2Frame(.headers, flags: 4, [0x88])),
    Breach(
      name: "a frame beyond SETTINGS_MAX_FRAME_SIZE",
      frame: HTTP2Frame(.data, stream: 1, .init(repeating: 1, count: 20_000))),
    Breach(name: "SETTINGS of 5 bytes", frame: HTTP2Frame(.settings, .init(repeating: 0, count: 5))),
    Breach(name: "SETTINGS on a stream", frame: HTTP2Frame(.settings, stream: 1)),
    Breach(name: "PING of 7 bytes", frame: HTTP2Frame(.ping, .init(repeating: 0, count: 7))),
    Breach(name: "WINDOW_UPDATE of 0", frame: HTTP2Frame(.windowUpdate, [0, 0, 0, 0])),
    Breach(name: "WINDOW_UPDATE of 3 bytes", frame: HTTP2Frame(.windowUpdate, stream: 1, [0, 0, 1])),
    Breach(name: "RST_STREAM on stream 0", frame: HTTP2Frame(.resetStream, [0, 0, 0, 0])),
    Breach(name: "RST_STREAM of 3 bytes", frame: HTTP2Frame(.resetStream, stream: 1, [0, 0, 0])),
    Breach(name: "CONTINUATION without HEADERS", frame: HTTP2Frame(.continuation, flags: 4, stream: 1, [0x88])),
    Breach(
      name: "fields that HPACK cannot read",
      frame: HTTP2Frame(.headers, flags: 5, stream: 1, .init(repeating: 255, count: 6))),
    Breach(name: "PUSH_PROMISE", frame: HTTP2Frame(.pushPromise, flags: 4, stream: 1, [0, 0, 0, 2, 0x88])),
    Breach(name: "GOAWAY of 2 bytes", frame: HTTP2Frame(.goAway, [0, 0])),
    Breach(name: "DATA on a stream that nobody opened", frame: HTTP2Frame(.data, stream: 9, [1])),
  ]

  /// When the breach comes.
  enum Moment: CaseIterable {
    case withTheHead, afterTheBody, afterTheServerSaidThatItGoes
  }

  @Test(arguments: breaches, Moment.allCases)
  func aBreachCutsTheBodyOff(breach: Breach, moment: Moment) async throws {
    let hasBody = AsyncEvent()
    let peer = try await Peer { connection in
      let stream = try connection.readHTTP2Request()
      var frames = [HTTP2Frame.head(stream: stream), .body(stream: stream, Data("part".utf8))]
      if moment == .afterTheServerSaidThatItGoes { frames.append(.goAway(last: stream)) }
      if moment != .withTheHead {
        try connection.send(frames)
        frames = []
        guard hasBody.waitBlocking() else { return }
      }
      try connection.send(frames + [breach.frame])
      _ = connection.waitForPeerClose()
    }
    let recorder = Recorder()
    _ = peer.engine.start(TransferRequest(url: peer.front.url().absoluteString), handler: recorder)
    _ = try await recorder.wait { !$0.body.isEmpty || $0.result != nil }
    hasBody.signal()
    let state = try await recorder.completion()
    guard LibcurlFacts.tellsBrokenConnections else {
      #expect(state.failure == nil, "\(String(describing: state.failure))")
      #expect(state.body == Array("part".utf8))
      return
    }
    let failure = try #require(state.failure, "\(state.body.count) bytes were taken for the whole")
    #expect(failure.urlErrorCode.rawValue == -1005, "\(failure)")
    #expect(failure.reason == .libcurl)
  }

  @Test func aBreachWithoutABodyIsNoEmptyBody() async throws {
    let peer = try await Peer { connection in
      try connection.send([.head(stream: connection.readHTTP2Request())])
      try connection.send([HTTP2Frame(.ping, [0])])
      _ = connection.waitForPeerClose()
    }
    let failure = try await peer.get().failure
    #expect(
      failure?.urlErrorCode.rawValue == (LibcurlFacts.tellsBrokenConnections ? -1005 : nil),
      "\(String(describing: failure))")
  }

  /// At once: the server says nothing more. Before 8.1, libcurl ends the streams of such a connection with one event of the socket each.
  /// The server hears of the end by GOAWAY (RFC 9113, section 5.4.1), or by the close alone; nothing else is asked of that connection.
  @Test(.enabled(if: LibcurlFacts.tellsBrokenConnections)) func everyStreamOfTheConnectionIsCutOff() async throws {
    let count = 5
    let isGivenUp = AsyncEvent()
    let peer = try await Peer { connection in
      guard connection.number == 1 else {
        let stream = try connection.readHTTP2Request()
        try connection.send([.head(stream: stream), .body(stream: stream, Data("whole".utf8), ends: true)])
        _ = connection.waitForPeerClose()
        return
      }
      for _ in 0..<count {
        let stream = try connection.readHTTP2Request()
        try connection.send([.head(stream: stream), .body(stream: stream, Data("part".utf8))])
      }
      try connection.send([HTTP2Frame(.ping, [0])])
      defer { isGivenUp.signal() }
      while try connection.readFrame().type != HTTP2Frame.Kind.goAway.rawValue {}
    }
    let url = peer.front.url().absoluteString
    let recorders = (0..<count).map { _ in Recorder() }
    for recorder in recorders { _ = peer.engine.start(TransferRequest(url: url), handler: recorder) }
    for recorder in recorders {
      #expect(try await recorder.completion().failure?.urlErrorCode.rawValue == -1005)
    }
    #expect(await isGivenUp.wait(timeout: .seconds(20)))
    #expect(peer.server.connectionCount == 1)
    let next = try await peer.get()
    #expect(next.body == Array("whole".utf8), "\(String(describing: next.failure))")
    #expect(peer.server.connectionCount == 2)
  }

  /// The server never closes one.
  @Test(.enabled(if: LibcurlFacts.tellsBrokenConnections)) func brokenConnectionsDoNotPileUp() async throws {
    let (count, limit) = (20, 6)
    let open = Watched(0)
    let peer = try await Peer(connectionsPerHost: limit) { connection in
      open.update { $0 += 1 }
      let stream = try connection.readHTTP2Request()
      try connection.send([.head(stream: stream), .body(stream: stream, Data("part".utf8)), HTTP2Frame(.ping, [0])])
      _ = connection.waitForPeerClose(timeout: .seconds(60))
      open.update { $0 -= 1 }
    }
    for _ in 0..<count { _ = try await peer.get() }
    #expect(peer.server.connectionCount == count)
    #expect(await open.wait(timeout: .seconds(20)) { $0 <= limit })
  }

  @Test(arguments: ["reset", "goAway", "close"])
  func whatLibcurlTellsIsAFailureToo(end: String) async throws {
    let peer = try await Peer { connection in
      let stream = try connection.readHTTP2Request()
      try connection.send([.head(stream: stream), .body(stream: stream, Data("part".utf8))])
      switch end {
      case "reset": try connection.send([.reset(stream: stream, error: 2)])
      case "goAway": try connection.send([.goAway(last: 0, error: 1)])
      default: return
      }
      _ = connection.waitForPeerClose()
    }
    let failure = try #require(try await peer.get().failure)
    #expect(failure.urlErrorCode.rawValue == -1005)
    #expect(failure.reason == .libcurl)
  }

  /// An end that is one.
  enum End: String, CaseIterable {
    case withTheBody, ofItsOwn, trailers, thenGoesAway, goesAwayBefore, goesAwayWithAnError, thenPings, thenCloses
  }

  @Test(arguments: End.allCases, [true, false])
  func anEndIsAnEnd(end: End, inOnePiece: Bool) async throws {
    let peer = try await Peer { connection in
      let stream = try connection.readHTTP2Request()
      var frames = [HTTP2Frame.head(stream: stream)]
      if end == .goesAwayBefore { frames.insert(.goAway(last: stream), at: 0) }
      frames.append(.body(stream: stream, Data("whole".utf8), ends: end == .withTheBody))
      let last = HTTP2Frame.body(stream: stream, Data(), ends: true)
      switch end {
      case .withTheBody: break
      case .ofItsOwn, .goesAwayBefore, .thenCloses: frames.append(last)
      case .trailers: frames.append(.trailers(stream: stream, [("x-check", "1")]))
      case .thenGoesAway: frames += [last, .goAway(last: stream)]
      case .goesAwayWithAnError: frames += [last, .goAway(last: stream, error: 1)]
      case .thenPings: frames += [last, HTTP2Frame(.ping, .init(repeating: 7, count: 8))]
      }
      if inOnePiece {
        try connection.send(frames)
      } else {
        for frame in frames { try connection.send([frame]) }
      }
      if end == .thenCloses { connection.closeWriting() }
      _ = connection.waitForPeerClose()
    }
    let state = try await peer.get()
    #expect(state.failure == nil, "\(String(describing: state.failure))")
    #expect(state.body == Array("whole".utf8))
  }

  /// Responses that have no body, whatever becomes of the connection.
  @Test(arguments: [("HEAD", 200), ("GET", 204), ("GET", 304), ("GET", 200)])
  func noBodyIsNotCutOff(method: String, status: Int) async throws {
    let peer = try await Peer { connection in
      let stream = try connection.readHTTP2Request()
      try connection.send([.head(stream: stream, status: status, ends: true), .goAway(last: stream)])
      _ = connection.waitForPeerClose()
    }
    let state = try await peer.engine.run(TransferRequest(url: peer.front.url().absoluteString, method: method))
    #expect(state.failure == nil, "\(String(describing: state.failure))")
    #expect(state.head?.statusCode == status && state.body.isEmpty)
  }

  /// The end of a gzip body is seen in the body, whatever libcurl tells.
  @Test(arguments: [true, false])
  func aContentCodingKnowsItsEnd(isWhole: Bool) async throws {
    let coded = Data(Encoding.gzip.encode(Array("whole".utf8)))
    let peer = try await Peer { connection in
      let stream = try connection.readHTTP2Request()
      try connection.send([
        .head(stream: stream, [("content-encoding", "gzip")]),
        .body(stream: stream, isWhole ? coded : coded.dropLast(6)), HTTP2Frame(.ping, [0]),
      ])
      _ = connection.waitForPeerClose()
    }
    let request = TransferRequest(url: peer.front.url().absoluteString, decodesContent: true)
    let state = try await peer.engine.run(request)
    let isTold = LibcurlFacts.tellsBrokenConnections
    #expect((state.failure == nil) == (isWhole && !isTold), "\(String(describing: state.failure))")
    if state.failure == nil { #expect(state.body == Array("whole".utf8)) }
  }

  /// One after the other, on one connection, which the server ends in good order after every tenth.
  @Test func aServerThatGoesAwayNowAndThenLosesNothing() async throws {
    let body = pattern(30_000)
    let peer = try await Peer { connection in
      for count in 1...10 {
        let stream = try connection.readHTTP2Request()
        var frames = [HTTP2Frame.head(stream: stream)]
        if count == 10 { frames.insert(.goAway(last: stream), at: 0) }
        for start in stride(from: 0, to: body.count, by: 10_000) {
          frames.append(.body(stream: stream, Data(body[start..<(start + 10_000)]), ends: start == 20_000))
        }
        try connection.send(frames)
      }
      _ = connection.waitForPeerClose()
    }
    for number in 0..<50 {
      let state = try await peer.get()
      #expect(state.failure == nil && state.body == body, "\(number): \(String(describing: state.failure))")
    }
    #expect(peer.server.connectionCount == 5)
  }

  /// A server sends all that it has, closes, and resets the connection for what comes then, as nginx does when it is configured anew. The
  /// client has to write, here the answer to a PING, before it has read the rest.
  @Test func whatCameBeforeAResetIsRead() async throws {
    let body = pattern(50_000)
    let hasBegun = AsyncEvent()
    let isReset = AsyncEvent()
    let peer = try await Peer(resets: true) { connection in
      let stream = try connection.readHTTP2Request()
      try connection.send([.head(stream: stream), .body(stream: stream, Data(body[..<10_000]))])
      guard hasBegun.waitBlocking() else { return }
      var frames = [HTTP2Frame(.ping, .init(repeating: 7, count: 8))]
      for start in stride(from: 10_000, to: body.count, by: 10_000) {
        frames.append(.body(stream: stream, Data(body[start..<(start + 10_000)]), ends: start == 40_000))
      }
      try connection.send(frames)
      connection.closeWriting()
      _ = connection.waitForPeerClose()
    }
    let recorder = Recorder(flow: { _, _, state in
      // The loop reads nothing until the connection is reset.
      if state.body.isEmpty {
        hasBegun.signal()
        _ = isReset.waitBlocking()
      }
      return .accepted
    })
    _ = peer.engine.start(TransferRequest(url: peer.front.url().absoluteString), handler: recorder)
    #expect(try await eventually { peer.front.resets == 1 })
    isReset.signal()
    let state = try await recorder.completion()
    #expect(state.failure == nil, "\(String(describing: state.failure))")
    let isWhole = state.body == body
    #expect(isWhole, "\(state.body.count) bytes")
  }
}
