import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// Random access by other schemes than HTTP.
@Suite(.timeLimit(.minutes(4))) struct RandomAccessSchemesTests {
  /// A private scheme: `ranged:` has byte ranges, `whole:` has none; `whole:` and `file:` give the same bytes.
  final class Scheme: AsyncURLProtocol, @unchecked Sendable {
    static let body = TestFiles.pattern(count: 50_000, seed: 31)
    static let requests = Watched<[String]>([])

    override class func canInit(with request: URLRequest) -> Bool {
      ["ranged", "whole", "file"].contains(request.url?.scheme)
    }

    override class var capabilities: Capabilities { super.capabilities.union(.byteRanges) }

    override func load(_ request: URLRequest, to writer: Writer) async throws {
      guard let url = request.url else { return }
      let isEmpty = url.absoluteString.contains("empty")
      let body = isEmpty ? Data() : Self.body
      Self.requests.update { $0.append("\(url) \(request.value(forHTTPHeaderField: "Range") ?? "")") }
      let validators = ResourceValidators(entityTag: "\"1\"")
      let selection =
        url.scheme == "ranged" ? request.byteRange(ofLength: Int64(body.count), validators: validators) : .whole
      switch selection {
      case .unsatisfiable(let length): throw URLError.unsatisfiableRange(of: request, length: length)
      case .whole:
        try await writer.respond(mimeType: "a/b", length: Int64(body.count))
        try await writer.write(body)
      case .partial(let range):
        try await writer.respond(
          URLResponse(
            url: url, mimeType: "a/b", expectedContentLength: range.length, textEncodingName: nil, contentRange: range,
            validators: validators, acceptsByteRanges: true))
        try await writer.write(body[Int(range.firstByte)...Int(range.lastByte)])
      }
    }
  }

  private let session: URLSession

  init() {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [Scheme.self]
    session = URLSession(configuration: configuration)
  }

  private func check(_ resource: RandomAccessResource, _ body: Data) async throws {
    #expect(resource.length == Int64(body.count))
    let reader = resource.makeReader()
    var random = SeededGenerator(seed: 4)
    for _ in 0..<12 {
      let start = Int.random(in: 0...body.count, using: &random)
      let count = Int.random(in: 1...5000, using: &random)
      let expected = body.dropFirst(start).prefix(count)
      #expect(try await difference(reader.bytes(at: Int64(start), count: count), from: expected) == nil)
      #expect(try await difference(resource.read(at: Int64(start), count: count), from: expected) == nil)
    }
  }

  @Test(arguments: [RandomAccessOptions.FirstRange.beginning(2000), .suffix(1234)])
  func aPrivateSchemeWithRanges(first: RandomAccessOptions.FirstRange) async throws {
    let url = try #require(URL(string: "ranged:\(UInt64.random(in: 0 ... .max))"))
    let resource = try await session.randomAccess(to: url, options: .small(first: first))
    #expect(resource.hasByteRanges && resource.mimeType == "a/b" && resource.validators.entityTag == "\"1\"")
    try await check(resource, Scheme.body)
    let empty = try await session.randomAccess(to: "ranged:empty", options: .small(first: first))
    #expect(empty.length == 0)
    #expect(try await empty.read(at: 0, count: 5).isEmpty)
  }

  @Test func aPrivateSchemeWithoutRanges() async throws {
    let url = try #require(URL(string: "whole:\(UInt64.random(in: 0 ... .max))"))
    let resource = try await session.randomAccess(to: url, options: .small())
    #expect(!resource.hasByteRanges && resource.isRemote)
    try await check(resource, Scheme.body)
    #expect(Scheme.requests.value.count { $0.hasPrefix(url.absoluteString) } == 1)
    #expect(try await session.randomAccess(to: "whole:empty", options: .small()).length == 0)
  }

  @Test func aClassThatLoadsFilesWins() async throws {
    let resource = try await session.randomAccess(to: URL(fileURLWithPath: "/no/such/file"), options: .small())
    #expect(resource.isRemote)
    try await check(resource, Scheme.body)
  }

  @Test func aDataURL() async throws {
    let body = TestFiles.pattern(count: 9999, seed: 2)
    let url = try #require(URL(string: "data:application/zip;base64,\(body.base64EncodedString())"))
    for first in [RandomAccessOptions.FirstRange.beginning(1000), .suffix(1000)] {
      let resource = try await session.randomAccess(to: url, options: .small(first: first))
      #expect(resource.mimeType == "application/zip" && resource.hasByteRanges)
      try await check(resource, body)
      #expect(try await session.randomAccess(to: "data:,", options: .small(first: first)).length == 0)
    }
  }

  @Test func aFileOnAnFTPServer() async throws {
    let server = try await FTPServer.shared
    let body = TestFiles.pattern(count: DocumentRoot.largeSize)
    let resource = try await session.randomAccess(
      to: server.url("/large.bin"), options: .small(block: 65_536, cached: 1 << 20, first: .suffix(1000)))
    #expect(resource.hasByteRanges)
    try await check(resource, body)
    let error = try await #require(throws: URLError.self) {
      try await session.randomAccess(to: server.url("/missing"))
    }
    #expect(error.code == .fileDoesNotExist)
    #expect(try await session.randomAccess(to: server.url("/empty.bin")).length == 0)
  }

  @Test func anFTPServerWithoutRangesGivesTheWhole() async throws {
    var options = FTPServer.Options()
    options.disabledCommands = ["REST"]
    let server = try await FTPServer.start(options: options)
    let resource = try await session.randomAccess(to: server.url("/small.txt"), options: .small(first: .suffix(100)))
    #expect(!resource.hasByteRanges)
    try await check(resource, DocumentRoot.small)
    await server.stop()
  }

  @Test func anFTPFileThatChangesIsAnError() async throws {
    let server = try await FTPServer.start()
    let resource = try await session.randomAccess(to: server.url("/large.bin"), options: .small())
    #expect(try await difference(resource.read(at: 0, count: 5), from: TestFiles.pattern(count: 5)) == nil)
    try TestFiles.write(count: 500_000, seed: 3, to: server.documentRoot.appendingPathComponent("large.bin"))
    let error = try await #require(throws: URLError.self) { try await resource.read(at: 100_000, count: 5) }
    #expect(error.code == .resourceUnavailable)
    await server.stop()
  }
}
