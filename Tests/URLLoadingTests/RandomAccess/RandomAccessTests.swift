import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// Random access to files of a real HTTP server.
@Suite(.timeLimit(.minutes(4))) struct RandomAccessTests {
  private let session = URLSession(configuration: .ephemeral)
  private let name = "random-\(UInt64.random(in: 0 ... .max)).bin"
  private static let size = 1_000_000

  private func serve(_ count: Int = size) async throws -> NginxServer {
    let server = try await NginxServer.shared
    try server.addFile(name, count: count, seed: 5)
    return server
  }

  private func expected(_ bytes: Range<Int>, of count: Int = size) -> Data {
    TestFiles.pattern(count: bytes.count, seed: 5, offset: bytes.lowerBound)
  }

  /// The ranges that were asked for, in the order in which the server was done with them.
  private func ranges(_ server: NginxServer, count: Int) async throws -> [String] {
    let isThere = try await eventually(timeout: .seconds(10)) {
      server.accessLog.count { $0.contains(name) } >= count
    }
    let lines = server.accessLog.filter { $0.contains(name) }
    #expect(isThere, "\(lines)")
    return lines.map { String($0.split(separator: "\"")[1]) }
  }

  @Test func whatTheResourceIs() async throws {
    let server = try await serve()
    let resource = try await session.randomAccess(to: server.url("/\(name)"))
    #expect(resource.length == Int64(Self.size))
    #expect(resource.url == server.url("/\(name)"))
    #expect(resource.validators.isStrong && resource.validators.lastModified != nil)
    #expect(resource.hasByteRanges && resource.isRemote)
    #expect(resource.mimeType == "application/octet-stream")
    #expect(try await ranges(server, count: 1) == ["bytes=0-32767"])
  }

  @Test func aReadTransfersTheBlocksThatCoverItAndNoMore() async throws {
    let server = try await serve()
    let options = RandomAccessOptions.small(block: 4096, first: .suffix(4096))
    let resource = try await session.randomAccess(to: server.url("/\(name)"), options: options)
    // In what came with the first request.
    #expect(try await difference(resource.read(at: 995_904, count: 9999), from: expected(995_904..<1_000_000)) == nil)
    // Boundaries are where the suffix put them.
    #expect(try await difference(resource.read(at: 10_000, count: 5000), from: expected(10_000..<15_000)) == nil)
    #expect(try await difference(resource.read(at: 10_100, count: 4000), from: expected(10_100..<14_100)) == nil)
    // Two gaps around what is there.
    #expect(try await difference(resource.read(at: 8000, count: 9500), from: expected(8000..<17_500)) == nil)
    #expect(try await difference(resource.read(at: 0, count: 1), from: expected(0..<1)) == nil)
    #expect(try await resource.read(at: 1_000_000, count: 5).isEmpty)
    #expect(try await resource.read(at: .max, count: .max).isEmpty)
    #expect(try await resource.read(at: 5, count: 0).isEmpty)
    let ranges = try await ranges(server, count: 5)
    #expect(ranges.prefix(2) == ["bytes=-4096", "bytes=8768-16959"])
    #expect(Set(ranges[2...]) == ["bytes=4672-8767", "bytes=16960-21055", "bytes=0-575"])
  }

  @Test func aLargeReadIsOneRequest() async throws {
    let server = try await serve(3_000_000)
    let resource = try await session.randomAccess(to: server.url("/\(name)"))
    #expect(
      try await difference(resource.read(at: 100_000, count: 2_500_000), from: expected(100_000..<2_600_000)) == nil)
    #expect(try await ranges(server, count: 2).count == 2)
  }

  @Test func aReadLargerThanTheCacheWorks() async throws {
    let server = try await serve(3_000_000)
    let options = RandomAccessOptions.small(block: 4096, cached: 100_000)
    let resource = try await session.randomAccess(to: server.url("/\(name)"), options: options)
    #expect(try await difference(resource.read(at: 1, count: .max), from: expected(1..<3_000_000)) == nil)
    let reader = resource.makeReader()
    #expect(try await difference(reader.bytes(at: 7, count: 2_999_000), from: expected(7..<2_999_007)) == nil)
  }

  @Test func sequentialReadsAreFewRequestsOfEachByteOnce() async throws {
    let count = 8_000_000
    let server = try await serve(count)
    let resource = try await session.randomAccess(to: server.url("/\(name)"))
    let reader = resource.makeReader()
    #expect(reader.length == Int64(count))
    let loaded = try await onThread {
      var loaded = Data()
      while true {
        let piece = try reader.bytesBlocking(at: Int64(loaded.count), count: 50_000)
        if piece.isEmpty { return loaded }
        loaded += piece
      }
    }
    #expect(difference(loaded, from: expected(0..<count)) == nil)
    // The first one, a few while the window grows, then about one for each half MiB.
    let ranges = try await ranges(server, count: 10)
    #expect(ranges.count < 30, "\(ranges)")
    let asked = ranges.compactMap { ByteRange(fieldValue: $0) }.map { range in
      if case .positions(let first, let last) = range { Int(last - first + 1) } else { 0 }
    }
    #expect(asked.reduce(0, +) == (count + 32_767) / 32_768 * 32_768 || asked.reduce(0, +) == count)
  }

  @Test func fiftyReadersGetTheRightBytes() async throws {
    let count = 5_000_000
    let server = try await serve(count)
    let options = RandomAccessOptions.small(block: 16_384, cached: 1 << 20, ahead: 256 << 10)
    let resource = try await session.randomAccess(to: server.url("/\(name)"), options: options)
    let whole = expected(0..<count)
    try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<50 {
        group.addTask {
          var random = SeededGenerator(seed: UInt64(number))
          let reader = resource.makeReader()
          var wrong = 0
          var next = 0
          for _ in 0..<30 {
            let start = Bool.random(using: &random) ? Int.random(in: 0..<count, using: &random) : next
            let length = Int.random(in: 1...60_000, using: &random)
            let piece =
              number.isMultiple(of: 2)
              ? try await reader.bytes(at: Int64(start), count: length)
              : try await resource.read(at: Int64(start), count: length)
            next = min(start + length, count - 1)
            if piece != whole[start..<min(start + length, count)] { wrong += 1 }
          }
          return wrong
        }
      }
      for try await wrong in group { #expect(wrong == 0) }
    }
  }

  @Test(arguments: [RandomAccessOptions.FirstRange.beginning(100), .suffix(100)])
  func anEmptyResourceHasNoBytes(first: RandomAccessOptions.FirstRange) async throws {
    let server = try await NginxServer.shared
    var options = RandomAccessOptions()
    options.firstRange = first
    let resource = try await session.randomAccess(to: server.url("/empty.bin"), options: options)
    #expect(resource.length == 0)
    #expect(try await resource.read(at: 0, count: 10).isEmpty)
    #expect(try await resource.makeReader().bytes(at: 0, count: 10).isEmpty)
  }

  @Test func aPasswordInTheURLServesEveryRequest() async throws {
    let server = try await serve()
    let url = try #require(URL(string: "http://user:password@127.0.0.1:\(server.port())/basic/\(name)"))
    let resource = try await session.randomAccess(to: url, options: .small())
    #expect(try await difference(resource.read(at: 500_000, count: 10), from: expected(500_000..<500_010)) == nil)
    let refused = try await #require(throws: URLError.self) {
      try await session.randomAccess(to: server.url("/basic/\(name)"))
    }
    #expect(refused.code == .userAuthenticationRequired)
  }

  @Test func whatACallerWantsEncodedIsNot() async throws {
    let server = try await serve()
    var request = URLRequest(url: server.url("/gzip/\(name)"))
    request.setValue("gzip", forHTTPHeaderField: "Accept-Encoding")
    let resource = try await session.randomAccess(to: request, options: .small())
    #expect(resource.length == Int64(Self.size))
    #expect(try await difference(resource.read(at: 77_777, count: 1000), from: expected(77_777..<78_777)) == nil)
  }

  @Test func wrongArgumentsAreErrors() async throws {
    let server = try await serve()
    let resource = try await session.randomAccess(to: server.url("/\(name)"))
    await #expect(throws: URLError.self) { try await resource.read(at: -1, count: 5) }
    await #expect(throws: URLError.self) { try await resource.read(at: 5, count: -1) }
    await #expect(throws: URLError.self) { try await resource.makeReader().bytes(at: .min, count: 5) }
    var request = URLRequest(url: server.url("/\(name)"))
    request.httpMethod = "POST"
    await #expect(throws: URLError.self) { try await session.randomAccess(to: request) }
    let missing = try await #require(throws: URLError.self) {
      try await session.randomAccess(to: server.url("/missing-\(name)"))
    }
    #expect(missing.code == .fileDoesNotExist && missing.failingURL == server.url("/missing-\(name)"))
    let unknown = try await #require(throws: URLError.self) {
      try await session.randomAccess(to: "nobody-knows:it" as URL)
    }
    #expect(unknown.code == .unsupportedURL)
  }

  @Test func anEndedSessionOpensNothing() async throws {
    let server = try await serve()
    let session = URLSession(configuration: .ephemeral)
    let resource = try await session.randomAccess(to: server.url("/\(name)"), options: .small())
    session.invalidateAndCancel()
    for url in [server.url("/\(name)"), URL(fileURLWithPath: "/etc/passwd")] {
      let error = try await #require(throws: URLError.self) { try await session.randomAccess(to: url) }
      #expect(error.code == .cancelled)
    }
    let error = try await #require(throws: URLError.self) { try await resource.read(at: 900_000, count: 5) }
    #expect(error.code == .cancelled)
  }

  /// Answers challenges, and counts what it is told of.
  private final class Delegate: NSObject, URLSessionTaskDelegate, Sendable {
    let created = Watched(0)
    let challenges = Watched(0)

    func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask) { created.update { $0 += 1 } }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
      completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      challenges.update { $0 += 1 }
      completionHandler(
        .useCredential,
        URLCredential(user: NginxServer.user, password: NginxServer.password, persistence: .none))
    }
  }

  @Test(arguments: [true, false]) func aDelegateIsAskedForEveryRequest(isOwn: Bool) async throws {
    let server = try await serve()
    let delegate = Delegate()
    let session = URLSession(configuration: .ephemeral, delegate: isOwn ? nil : delegate, delegateQueue: nil)
    defer { session.invalidateAndCancel() }
    let resource = try await session.randomAccess(
      to: server.url("/basic/\(name)"), options: .small(), delegate: isOwn ? delegate : nil)
    #expect(try await difference(resource.read(at: 500_000, count: 10), from: expected(500_000..<500_010)) == nil)
    #expect(
      try await difference(resource.makeReader().bytes(at: 700_000, count: 2000), from: expected(700_000..<702_000))
        == nil)
    #expect(delegate.created.value == 3 && delegate.challenges.value == 3)
  }

  // MARK: Redirects

  @Test func aRedirectWithinAHostIsFollowedEachTime() async throws {
    let server = try await serve()
    let resource = try await session.randomAccess(
      to: server.url("/redirect/302?to=/\(name)"), options: .small(block: 512, first: .suffix(10)))
    #expect(resource.url == server.url("/\(name)"))
    #expect(try await difference(resource.read(at: 5, count: 10), from: expected(5..<15)) == nil)
  }

  @Test func whatAnotherHostGaveIsAskedForThere() async throws {
    let server = try await serve()
    let target = server.url("/\(name)").absoluteString
    let redirector = try ScriptedServer.http { _ in .redirect(to: target) }
    var request = URLRequest(url: redirector.url("/first"))
    request.setValue("Bearer secret", forHTTPHeaderField: "Authorization")
    let resource = try await session.randomAccess(to: request, options: .small())
    #expect(resource.url.absoluteString == target)
    #expect(try await difference(resource.read(at: 50_000, count: 10), from: expected(50_000..<50_010)) == nil)
    #expect(redirector.requests.count == 1)
    #expect(try await ranges(server, count: 2) == ["bytes=0-999", "bytes=50000-50999"])
  }
}
