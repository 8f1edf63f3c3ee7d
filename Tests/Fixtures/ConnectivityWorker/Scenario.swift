import ArchiveProtocol
import Foundation
import SFTPProtocol
import URLLoading
import URLLoadingBase
import URLLoadingTestServers
import WebDAVProtocol

/// What the worker can be told to do.
enum Scenario {
  typealias Body = @Sendable (Loopback) async throws -> Void

  static let all: [String: Body] = [
    "kernel": kernel, "http": http, "http6": http6, "ftp": ftp, "sftp": sftp, "dav": dav, "archive": archive,
    "own": own, "upload": upload, "many": many, "cancel": cancel, "resource-timeout": resourceTimeout,
    "name": NameScenario.comesBack, "name-failure": NameScenario.answersAgain, "no-name": NameScenario.doesNotExist,
    "refused": NameScenario.refusesOnOneAddress, "background": BackgroundScenario.serve,
    "http3": HTTP3Scenario.changes,
  ]

  /// Loads a URL while the interface is down, and brings that up when the delegate was told that the task waits.
  static func load(_ url: URL, classes: [AnyClass] = [], _ loopback: Loopback) async throws {
    let witness = Witness()
    witness.session(classes: classes).dataTask(with: url).resume()
    try await witness.waitUntil { $0.told > 0 || $0.ended > 0 }
    try loopback.comeUp()
    try await witness.waitUntil { $0.ended == 1 }
    witness.report()
  }

  /// The kernel tells that the interface has come up, and that it has gone down.
  private static func kernel(_ loopback: Loopback) async throws {
    for change in [loopback.comeUp, loopback.goDown] {
      let told = AsyncEvent()
      let changes = NetworkChanges.shared
      _ = changes.wait(since: changes.count, atMost: .seconds(3600)) { told.signal() }
      try change()
      say("told \(await told.wait(timeout: .seconds(30)))")
    }
  }

  private static func hello(ipv6: Bool = false) throws -> ScriptedServer {
    try .http(ipv6: ipv6) { _ in HTTPResponse(text: "hello") }
  }

  // MARK: Schemes

  private static func http(_ loopback: Loopback) async throws {
    let server = try await loopback.serving { try hello() }
    try await load(server.url(), loopback)
  }

  private static func http6(_ loopback: Loopback) async throws {
    let server = try await loopback.serving { try hello(ipv6: true) }
    try await load(server.url(), loopback)
  }

  private static func ftp(_ loopback: Loopback) async throws {
    let server = try await loopback.serving { try ScriptedFTPServer(.init(file: Data("hello".utf8))) }
    try await load(server.url(), loopback)
  }

  private static func sftp(_ loopback: Loopback) async throws {
    let server = try await loopback.serving {
      var options = PasswordSSHServer.Options()
      options.needsNoLogin = true
      return try await PasswordSSHServer.start(options: options)
    }
    try Data("hello".utf8).write(to: server.home.appendingPathComponent("f"))
    var url = URLComponents()
    (url.scheme, url.user, url.host, url.port) = ("sftp", PasswordSSHServer.user, "127.0.0.1", Int(server.port))
    url.path = "/f"
    try await load(url.url ?? URL(fileURLWithPath: "/"), classes: [SFTPProtocol.self], loopback)
    await server.stop()
  }

  private static func dav(_ loopback: Loopback) async throws {
    let server = try await loopback.serving { try hello() }
    try await load(server.url("/f", scheme: "dav"), classes: [WebDAVProtocol.self], loopback)
  }

  private static func archive(_ loopback: Loopback) async throws {
    let folder = try TemporaryDirectory("archive")
    try folder.write("a.txt", "hello")
    try await Command.check("zip", ["-q", "-j", folder.file("a.zip").path, folder.file("a.txt").path])
    let bytes = try Data(contentsOf: folder.file("a.zip"))
    let server = try await loopback.serving {
      try ScriptedServer.http { request in
        guard request.fields["Range"] != nil else { return HTTPResponse(body: bytes) }
        // All of it is less than any range asks for.
        let field = "bytes 0-\(bytes.count - 1)/\(bytes.count)"
        return HTTPResponse(206, fields: ["Content-Range": field, "ETag": "\"1\""], body: bytes)
      }
    }
    guard let url = URL(archive: server.url("/a.zip"), member: "a.txt") else { throw URLError(.badURL) }
    try await load(url, classes: [ArchiveProtocol.self], loopback)
  }

  private static func own(_ loopback: Loopback) async throws {
    let server = try await loopback.serving {
      try ScriptedServer { try $0.send("hello") }
    }
    try await load(server.url("/", scheme: "plain"), classes: [PlainProtocol.self], loopback)
  }

  private static func upload(_ loopback: Loopback) async throws {
    let server = try await loopback.serving {
      try ScriptedServer.http { HTTPResponse(body: $0.body) }
    }
    let witness = Witness()
    var request = URLRequest(url: server.url())
    request.httpMethod = "PUT"
    request.httpBodyStream = InputStream(data: Data("all of a stream".utf8))
    witness.session().uploadTask(withStreamedRequest: request).resume()
    try await witness.waitUntil { $0.told > 0 || $0.ended > 0 }
    try loopback.comeUp()
    try await witness.waitUntil { $0.ended == 1 }
    witness.report()
    say("sent \(witness.seen.value.sent)")
  }

  // MARK: Many, and ends

  private static func many(_ loopback: Loopback) async throws {
    let server = try await loopback.serving { try hello() }
    let witness = Witness()
    let session = witness.session()
    let count = 1000
    for _ in 0..<count { session.dataTask(with: server.url()).resume() }
    try await witness.waitUntil { $0.told == count || $0.ended > 0 }
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let threads = status.split(separator: "\n").first { $0.hasPrefix("Threads:") }?.split(separator: "\t").last
    say("fewThreads \(threads.flatMap { Int($0) }.map { $0 < 40 } ?? false)")
    try loopback.comeUp()
    try await witness.waitUntil { $0.ended == count }
    let seen = witness.seen.value
    say("told \(seen.told)")
    say("errors \(seen.errors.count)")
    say("bytes \(seen.body.count)")
  }

  private static func cancel(_ loopback: Loopback) async throws {
    let server = try await loopback.serving { try hello() }
    let witness = Witness()
    let task = witness.session().dataTask(with: server.url())
    task.resume()
    try await witness.waitUntil { $0.told > 0 || $0.ended > 0 }
    task.cancel()
    try await witness.waitUntil { $0.ended == 1 }
    try loopback.comeUp()
    witness.report()
    // A load that was told of the same change has been served: the cancelled one would have been, too.
    let (data, _) = try await Witness().session().data(from: server.url("/other"))
    say("other \(String(decoding: data, as: UTF8.self))")
    say("requests \(server.requests.count)")
  }

  private static func resourceTimeout(_ loopback: Loopback) async throws {
    let server = try await loopback.serving { try hello() }
    let witness = Witness()
    let session = witness.session { configuration in
      configuration.timeoutIntervalForRequest = 0.1
      configuration.timeoutIntervalForResource = 0.7
    }
    session.dataTask(with: server.url()).resume()
    try await witness.waitUntil { $0.ended == 1 }
    witness.report()
  }
}
