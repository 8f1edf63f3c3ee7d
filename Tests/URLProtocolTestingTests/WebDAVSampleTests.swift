import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

@testable import URLLoadingWebDAVScheme

/// What the conformance checks do not ask of the sample.
@Suite(.timeLimit(.minutes(4))) struct WebDAVSampleTests {
  private static let bytes = TestFiles.pattern(count: 300_000)

  private func session(_ delegate: Streams? = nil) -> URLSession {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.connectionProxyDictionary = [:]
    configuration.protocolClasses = [WebDAVProtocol.self]
    return URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
  }

  /// A login is asked for when the body was sent already: the delegate gives another stream.
  @Test func aStreamIsStoredBehindALogin() async throws {
    let server = try await WebDAVServer.shared
    let delegate = Streams(Self.bytes)
    let session = session(delegate)
    let task = session.uploadTask(
      withStreamedRequest: URLRequest(url: server.url("/private/streamed", login: "user:password@")))
    task.resume()
    #expect(await delegate.ends.wait { !$0.isEmpty })
    #expect(delegate.ends.value == [nil])
    #expect(task.countOfBytesSent == Int64(Self.bytes.count))
    #expect(try Data(contentsOf: server.documentRoot.appending(path: "private/streamed")) == Self.bytes)
    session.invalidateAndCancel()
  }

  @Test func whatTheServerRefusesHasACode() async throws {
    let server = try await WebDAVServer.shared
    let session = session()
    let listing = await #expect(throws: URLError.self) {
      for try await _ in session.entries(at: server.url("/public/nowhere/")) {}
    }
    #expect(listing?.code == .fileDoesNotExist)
    let loading = await #expect(throws: URLError.self) { try await session.data(from: server.url("/public/")) }
    #expect(loading?.code == .fileIsDirectory)
    let login = await #expect(throws: URLError.self) { try await session.data(from: server.url("/private/x")) }
    #expect(login?.code == .userAuthenticationRequired)
    session.invalidateAndCancel()
  }

  /// nginx redirects the name to that with a slash, where it has a page.
  @Test func aDirectoryWithAPageIsADirectory() async throws {
    let server = try await WebDAVServer.shared
    let folder = server.documentRoot.appending(path: "public/paged")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data("<p>A page</p>".utf8).write(to: folder.appending(path: "index.html"))
    let session = session()
    let error = await #expect(throws: URLError.self) { try await session.data(from: server.url("/public/paged")) }
    #expect(error?.code == .fileIsDirectory)
    session.invalidateAndCancel()
  }

  @Test func deletingDeletes() async throws {
    let server = try await WebDAVServer.shared
    let session = session()
    let url = server.url("/public/short-lived")
    _ = try await session.upload(for: URLRequest(url: url), from: Data("x".utf8))
    var request = URLRequest(url: url)
    request.httpMethod = "DELETE"
    _ = try await session.data(for: request)
    await #expect(throws: URLError.self) { try await session.data(from: url) }
    session.invalidateAndCancel()
  }

  @Test func listingsAreReadAsServersWriteThem() throws {
    let url = try #require(URL(string: "dav://host/d/"))
    let text = """
      <?xml version="1.0"?>
      <a:multistatus xmlns:a="DAV:" xmlns:b="other:">
        <a:response><a:href> http://host/d/%C3%BC%20x.txt </a:href><a:propstat><a:prop>
          <a:getcontentlength>7</a:getcontentlength><b:getcontentlength>9</b:getcontentlength>
          <a:getlastmodified>Sun, 06 Nov 1994 08:49:37 GMT</a:getlastmodified><a:resourcetype/>
        </a:prop></a:propstat></a:response>
        <a:response><a:href>/d/sub/</a:href><a:propstat><a:prop>
          <a:resourcetype><a:collection/></a:resourcetype></a:prop></a:propstat></a:response>
        <a:response><a:href>/d/%2e%2e</a:href></a:response>
      </a:multistatus>
      """
    let resources = try Multistatus.resources(in: Data(text.utf8), of: url)
    let entries = resources.map { $0.entry(in: url) }
    #expect(entries.map { $0?.name } == ["ü x.txt", "sub", nil])
    #expect(entries.map { $0?.kind } == [.file, .directory, nil])
    #expect(entries.first??.size == 7)
    #expect(entries.first??.modificationDate == Date(timeIntervalSince1970: 784_111_777))
    for broken in ["", "<a", "<a/>", "no XML", String(text.dropLast(30)), text + "<"] {
      let error = #expect(throws: URLError.self) { try Multistatus.resources(in: Data(broken.utf8), of: url) }
      #expect(error?.code == .cannotParseResponse)
    }
  }
}

/// Gives a stream of the same bytes whenever it is asked for one.
private final class Streams: NSObject, URLSessionTaskDelegate {
  let ends = Watched<[URLError.Code?]>([])
  private let bytes: Data

  init(_ bytes: Data) {
    self.bytes = bytes
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
  ) {
    completionHandler(InputStream(data: bytes))
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    ends.update { $0.append((error as? URLError)?.code) }
  }
}
