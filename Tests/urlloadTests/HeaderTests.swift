import Foundation
import Testing
import URLLoadingTestServers

@testable import urlload

/// Fields that are given twice, taken away, or sent without a value, and logins that are sent at once.
@Suite(.timeLimit(.minutes(2))) struct HeaderTests {
  private static func lines(_ arguments: [String]) async throws -> [String] {
    let server = try ScriptedServer.http { request in
      HTTPResponse(text: request.fields.list.map { "\($0.name): \($0.value)" }.joined(separator: "\n"))
    }
    let outcome = try await Urlload.run(arguments + [server.url().absoluteString])
    #expect(outcome.status == .exited(0), "\(outcome.error)")
    return outcome.text.split(separator: "\n").map { String($0) }
  }

  @Test func fieldsAreTakenAway() async throws {
    let names = try await Self.lines([
      "-H", "Accept:", "-A", "", "-H", "Accept-Encoding: ", "-d", "a", "-H", "Content-Type:",
    ])
    .map { String($0.prefix { $0 != ":" }).lowercased() }
    #expect(!names.contains { ["accept", "user-agent", "accept-encoding", "content-type"].contains($0) }, "\(names)")
    #expect(names.contains("host") && names.contains("content-length"))
    let empty = try await Self.lines(["-H", "X-Empty;"])
    #expect(empty.contains { $0.trimmingCharacters(in: .whitespaces) == "X-Empty:" }, "\(empty)")
  }

  @Test func theLastOfSeveralCounts() async throws {
    let lines = try await Self.lines([
      "-H", "User-Agent: one", "-H", "user-agent: two", "-A", "three", "-H", "Cookie: a=1", "-b", "b=2", "-H",
      "Cookie: c=3", "-H", "X-List: 1", "-H", "X-List: 2", "-H", "Host: one", "-H", "Host: two",
    ])
    let fields = lines.map { $0.lowercased() }
    #expect(fields.filter { $0.hasPrefix("user-agent:") } == ["user-agent: two"])
    #expect(fields.filter { $0.hasPrefix("host:") } == ["host: two"])
    #expect(fields.filter { $0.hasPrefix("cookie:") } == ["cookie: b=2; a=1; c=3"])
    let list = fields.filter { $0.hasPrefix("x-list:") }
    #expect(list == ["x-list: 1, 2"] || list == ["x-list: 1", "x-list: 2"] || list == ["x-list: 1,2"], "\(list)")
  }

  @Test func aLoginIsSentAtOnce() async throws {
    let server = try ScriptedServer.http { request in
      request.fields["Authorization"] == "Basic bWU6cHc="
        ? HTTPResponse(text: "\(request.body.count)")
        : HTTPResponse(401, fields: ["WWW-Authenticate": "Basic realm=\"x\""])
    }
    let url = server.url().absoluteString
    #expect(try await Urlload.run(["-u", "me:pw", url]).text == "0")
    #expect(server.requests.count == 1)
    // What is read once could not be sent a second time.
    #expect(try await Urlload.run(["-T", "-", "-u", "me:pw", url], input: Data(count: 100)).text == "100")
    #expect(server.requests.count == 2)
    let folder = try TemporaryDirectory("urlload")
    let netrc = try folder.write(
      "netrc", "machine 127.0.0.1 login you password no\nmachine 127.0.0.1 login me password pw")
    let named = url.replacing("http://", with: "http://me@")
    #expect(try await Urlload.run(["--netrc-file", netrc.path, named]).text == "0")
    #expect(server.requests.count == 3)
    let wrong = try await Urlload.run(["--netrc-file", netrc.path, url])
    #expect(wrong.status == .exited(7) && server.requests.count == 4)
    // Where the server is to ask first, it does.
    #expect(try await Urlload.run(["--anyauth", "-u", "me:pw", url]).text == "0")
    #expect(server.requests.count == 6 && server.requests[4].fields["Authorization"] == nil)
  }

  /// It ended the command with libcurl 7.88, where an earlier response had come.
  @Test func aFirstFieldBehindASpaceIsIgnored() async throws {
    let server = try ScriptedServer { connection in
      while let request = try connection.readRequestHead() {
        let field = request.path == "/bad" ? " X: y" : "X: \(String(repeating: "y", count: 200))"
        try connection.send("HTTP/1.1 200 OK\r\n\(field)\r\nContent-Length: 5\r\n\r\nTest.")
      }
    }
    let urls = ["/good", "/bad", "/good", "/bad"].map { server.url($0).absoluteString }
    let outcome = try await Urlload.run(["-i"] + urls)
    #expect(outcome.status == .exited(0), "\(outcome)")
    #expect(outcome.text.components(separatedBy: "Test.").count == 5, "\(outcome)")
  }

  @Test func timesAndCounts() throws {
    var options = LoadOptions()
    options.maxTime = 200
    options.parallel = 11
    let configuration = RequestBuilder.configuration(options)
    #expect(configuration.timeoutIntervalForRequest == 200 && configuration.timeoutIntervalForResource == 200)
    #expect(configuration.httpMaximumConnectionsPerHost == 11)
  }
}
