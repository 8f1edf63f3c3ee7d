import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

/// Loads whose responses repeat fields of which there may be one.
@Suite(.timeLimit(.minutes(2))) struct RepeatedFieldTests {
  private static func server(_ status: Int = 302, _ locations: String...) throws -> ScriptedServer {
    let fields = URLLoadingTestServers.HTTPFields(locations.map { (name: "Location", value: $0) })
    return try .http { request in
      request.path == "/start" ? HTTPResponse(status, fields: fields) : HTTPResponse(text: request.target)
    }
  }

  @Test func theSameLocationTwiceIsFollowed() async throws {
    let server = try Self.server(302, "/a", "/a")
    #expect(await RecordedSession().load(server.url("/start")).text == "/a")
  }

  @Test func locationsThatDifferAreAnError() async throws {
    let server = try Self.server(302, "/a", "/b")
    let record = await RecordedSession().load(server.url("/start"))
    #expect(record.code == .badServerResponse && server.requests.count == 1)
    // Ours, or libcurl's.
    let words = record.error?.localizedDescription ?? ""
    #expect(words.contains("several Location fields") || words.contains("Multiple Location headers"), "\(words)")
    // Only a redirect is led by it. libcurl 8.23 takes no such response.
    let creator = try Self.server(201, "/a", "/b")
    let created = await RecordedSession().load(creator.url("/start"))
    #expect(words.contains("Multiple") ? created.code == .badServerResponse : created.status == 201)
    withExtendedLifetime(creator) {}
  }
}
