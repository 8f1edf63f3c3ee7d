import Foundation
import Testing
import URLLoadingTestServers

/// The options that choose a way of logging in, and where passwords come from.
@Suite(.timeLimit(.minutes(3))) struct LoginMethodTests {
  private static let offers = ["Negotiate", "Digest realm=\"x\", nonce=\"n\"", "NTLM", "Basic realm=\"x\""]

  /// A server that takes any login by one of these ways, and says which.
  private static func server(_ offers: [String] = offers) throws -> ScriptedServer {
    let fields = HTTPFields(offers.map { ("WWW-Authenticate", $0) })
    return try ScriptedServer.http { request in
      guard let field = request.fields["Authorization"] else { return HTTPResponse(401, fields: fields) }
      guard let scheme = field.split(separator: " ").first, offers.contains(where: { $0.hasPrefix(scheme) }) else {
        return HTTPResponse(401, fields: fields)
      }
      return HTTPResponse(text: String(scheme))
    }
  }

  /// Nobody has a ticket.
  private static let environment: [String: String?] = ["KRB5CCNAME": "FILE:/nonexistent/ticket"]

  @Test func eachOptionChoosesItsWay() async throws {
    for (options, scheme, isAtOnce) in [
      ([], "Basic", true), (["--basic"], "Basic", true), (["--digest"], "Digest", false),
      (["--anyauth"], "Digest", false), (["--basic", "--digest"], "Digest", false),
      (["--negotiate", "--basic"], "Basic", false), (["--ntlm"], "NTLM", false),
    ] as [([String], String, Bool)] {
      let server = try Self.server()
      let outcome = try await Urlload.run(
        options + ["-u", "me:pw", server.url().absoluteString], environment: Self.environment)
      #expect(outcome.text == scheme, "\(options): \(outcome.error)")
      #expect((server.requests.count == 1) == isAtOnce, "\(options): \(server.requests.count)")
      let sent = server.requests.compactMap { $0.fields["Authorization"] }
      #expect(sent.allSatisfy { $0.hasPrefix(scheme) }, "\(options): \(sent)")
      await server.stop()
    }
  }

  @Test func noOtherWayIsTaken() async throws {
    for (options, offers) in [
      (["--digest"], ["Basic realm=\"x\"", "NTLM"]),
      (["--ntlm"], ["Basic realm=\"x\"", "Digest realm=\"x\", nonce=\"n\""]),
      (["--basic"], ["Digest realm=\"x\", nonce=\"n\"", "NTLM"]), (["--negotiate"], Self.offers),
    ] {
      let server = try Self.server(offers)
      let outcome = try await Urlload.run(
        options + ["-u", "me:pw", server.url().absoluteString], environment: Self.environment)
      #expect(outcome.status == .exited(7), "\(options): \(outcome.text) \(outcome.error)")
      let sent = server.requests.compactMap { $0.fields["Authorization"] }
      #expect(sent == (options == ["--basic"] ? ["Basic bWU6cHc="] : []), "\(options): \(sent)")
      await server.stop()
    }
  }

  @Test(.enabled(if: KerberosRealm.obstacle == nil)) func aTicketIsUsed() async throws {
    let realm = try await KerberosRealm.start()
    let server = try await LoginServer.negotiate(in: realm)
    for user in [":", "me:pw"] {
      let outcome = try await Urlload.run(
        ["--negotiate", "-u", user, server.url("/x").absoluteString], environment: realm.environment)
      #expect(outcome.text.hasPrefix("\(KerberosRealm.user) "), "\(outcome.error)")
    }
    await server.stop()
    await realm.stop()
  }

  /// The netrc file has the password of the user that the URL or `-u` names, whenever it is sent, and for each host its own.
  @Test func aUsersPasswordIsInTheFile() async throws {
    let folder = try TemporaryDirectory("urlload")
    let server = try ScriptedServer.http { request in
      request.fields["Authorization"] == "Basic bWU6cHc="
        ? HTTPResponse(text: "in") : HTTPResponse(401, fields: ["WWW-Authenticate": "Basic realm=\"x\""])
    }
    let named = "http://me@127.0.0.1:\(server.port)/"
    for text in [
      "machine 127.0.0.1 login you password no machine 127.0.0.1 login me password pw",
      "machine 127.0.0.1 password pw", "machine 127.0.0.1 password pw login me", "default login me password pw",
    ] {
      let file = try folder.write("netrc", text).path
      for options in [[], ["--anyauth"], ["--basic"]] {
        let outcome = try await Urlload.run(options + ["--netrc-file", file, named])
        #expect(outcome.text == "in", "\(text) \(options): \(outcome.error)")
        let other = try await Urlload.run(options + ["--netrc-file", file, "-u", "me", server.url().absoluteString])
        #expect(other.text == "in", "\(text) \(options): \(other.error)")
      }
    }
    let file = try folder.write(
      "netrc", "machine 127.0.0.1 login me password pw machine localhost login me password no"
    ).path
    for options in [[], ["--anyauth"]] {
      let urls = ["http://127.0.0.1:\(server.port)/", "http://localhost:\(server.port)/"]
      let outcome = try await Urlload.run(options + ["-f", "--netrc-file", file, "-u", "me"] + urls)
      #expect(outcome.text == "in" && outcome.status == .exited(7), "\(outcome.error)")
    }
    await server.stop()
  }

  @Test func thePasswordOfTheFileIsNotShown() async throws {
    let folder = try TemporaryDirectory("urlload")
    let file = try folder.write("netrc", "default login me password sesame").path
    let server = try Self.server(["Basic realm=\"x\""])
    let named = "http://me@127.0.0.1:\(server.port)/"
    let outcome = try await Urlload.run([
      "--anyauth", "-v", "--netrc-file", file, "-w", "%{url} %{url_effective}", named, named + "?again",
    ])
    #expect(outcome.status == .exited(0))
    #expect(!outcome.text.contains("sesame") && !outcome.error.contains("sesame"), "\(outcome.text) \(outcome.error)")
  }
}
