import Foundation
import Testing
import URLLoadingTestServers

/// Passwords inside archive URLs, and inside what is no URL, are seen nowhere.
@Suite(.timeLimit(.minutes(2))) struct SecretTests {
  private let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory("urlload")
  }

  /// The URL of a tar on a server, with a password in it.
  private func place(on server: NginxServer, as name: String) async throws -> String {
    try folder.write("a.txt", "12345")
    mkfifo(folder.file("pipe").path, 0o600)
    let tar = server.documentRoot.appendingPathComponent(name).path
    let made = try await Command.run("/bin/tar", ["cf", tar, "-C", folder.path, "a.txt", "pipe"])
    #expect(made.status == .exited(0), "\(made.error)")
    return server.url("/" + name).absoluteString.replacing("http://", with: "http://me:hunter2@")
  }

  @Test func archiveURLsKeepTheirPasswords() async throws {
    let server = try await NginxServer.start()
    let archive = try await place(on: server, as: "secret.tar")
    let index = folder.file("index").path
    for spelling in ["archive:\(archive)!/", "jar:\(archive)!/", "zip:\(archive)!/"] {
      let outcome = try await Urlload.run(["-v", "--archive-index", index, spelling + "a.txt"])
      #expect(outcome.status == .exited(0) && outcome.text == "12345", "\(outcome.error)")
      #expect(outcome.error.contains("me%3A***%40127.0.0.1") && !outcome.error.contains("hunter2"), "\(outcome.error)")

      let missing = try await Urlload.run([spelling + "missing"])
      #expect(missing.status == .exited(9))
      #expect(missing.error.contains("me%3A***%40127.0.0.1") && !missing.error.contains("hunter2"), "\(missing.error)")

      let list = try await Urlload.run(["ls", "--json", spelling])
      #expect(list.status == .exited(0) && list.text.contains("me%40127.0.0.1"), "\(list.error)")
      #expect(!list.text.contains("hunter2") && !list.error.contains("hunter2"), "\(list.text)")

      let several = try await Urlload.run(["ls", spelling, spelling])
      #expect(several.text.contains("***") && !several.text.contains("hunter2"), "\(several.text)")
    }
    let files = try FileManager.default.contentsOfDirectory(atPath: index)
    #expect(files.count == 1)
    for file in files {
      let path = index + "/" + file
      #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
      #expect(try Data(contentsOf: URL(fileURLWithPath: path)).range(of: Data("hunter2".utf8)) == nil)
    }
    #expect(try FileManager.default.attributesOfItem(atPath: index)[.posixPermissions] as? Int == 0o700)
    await server.stop()
  }

  @Test(arguments: [
    ("me:hunter2@127.0.0.1:1/a", "me:***@127.0.0.1:1/a"), ("http:/me:hunter2@127.0.0.1/a", "***@127.0.0.1/a"),
    ("http://me:hunter2@127.0.0.1:port/a", "me:***@127.0.0.1:port/a"), ("//me:hunter2@h/", "me:***@h/"),
    ("archive:http://me:hunter2@127.0.0.1/x.zip", "me:***@127.0.0.1/x.zip"), ("jar:me:hunter2@h!/a", "me%3A***%40h/a"),
    ("archive://http%3A%2F%2Fme%3Ahunter2%40%zz", "***"), ("archive:nothing://me:hunter2@h/x.zip!/a", "***"),
    ("http://me:hun/ter2@127.0.0.1:1/a", "***@127.0.0.1:1/a"), ("archive:archive:http://me:hunter2@h!/a", "***@h!/a"),
  ])
  func whatWasTypedKeepsItsPassword(_ text: String, _ shown: String) async throws {
    for arguments in [[text], ["-v", text], ["ls", text]] {
      let outcome = try await Urlload.run(arguments + ["--max-time", "5"])
      #expect(outcome.status != .exited(0) && outcome.output.isEmpty)
      // The message is about this URL, and has all of it but the password.
      #expect(outcome.error.contains(shown), "\(outcome.error)")
      #expect(!outcome.error.contains("hunter2") && !outcome.error.contains("ter2"), "\(outcome.error)")
    }
  }

  @Test func otherUsersSeeNoPasswords() async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readRequestHead()
      _ = connection.waitForPeerClose(timeout: .seconds(30))
    }
    let process = try ChildProcess(
      BuiltProgram.path("urlload"),
      ["-sume:hunter2", "--proxy-user", "me:hunter2", "--oauth2-bearer=hunter2", server.url().absoluteString],
      output: folder.file("output"), error: folder.file("error"))
    #expect(await server.waitForRequests(1))
    let seen = try Data(contentsOf: URL(fileURLWithPath: "/proc/\(process.processID)/cmdline"))
    let arguments = seen.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    #expect(
      arguments.dropFirst() == [
        "-su**********", "--proxy-user", "**********", "--oauth2-bearer=*******", server.url().absoluteString,
      ])
    await process.stop()
  }

  @Test func fieldsThatAreSecretsAreNotShown() async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readRequestHead()
      try connection.send(HTTPResponse(200, fields: ["Link": "<http://me:hunter2@h/>", "X-Mail": "a: b@c"], text: "x"))
    }
    let fields = ["Authorization: Basic hunter2", "X-Api-Key: hunter2", "Referer: http://me:hunter2@h/", "X-A: b: c@d"]
    let outcome = try await Urlload.run(["-v"] + fields.flatMap { ["-H", $0] } + [server.url("/").absoluteString])
    #expect(outcome.status == .exited(0), "\(outcome.error)")
    #expect(!outcome.error.contains("hunter2"), "\(outcome.error)")
    for line in [
      "Authorization: Basic ***", "X-Api-Key: ***", "Referer: http://me:***@h/", "X-A: b: c@d", "X-Mail: a: b@c",
    ] { #expect(outcome.error.contains(line), "\(outcome.error)") }
  }

  @Test func aFIFOInATarIsCalledSo() async throws {
    let server = try await NginxServer.start()
    let archive = try await place(on: server, as: "pipe.tar")
    let outcome = try await Urlload.run(["archive:\(archive)!/pipe"])
    #expect(outcome.status == .exited(9), "\(outcome.error)")
    #expect(outcome.error.contains("is a FIFO, which has no content"), "\(outcome.error)")
    #expect(!outcome.error.contains("written"), "\(outcome.error)")
    await server.stop()
  }

  @Test func aHeaderOfFiveMegabytesIsCalledTooLarge() async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readRequestHead()
      try connection.send("HTTP/1.1 200 OK\r\nX-A: " + String(repeating: "a", count: 5 << 20) + "\r\n\r\n")
    }
    let outcome = try await Urlload.run([server.url("/").absoluteString])
    #expect(outcome.status == .exited(10))
    #expect(outcome.error.contains("the response's header") && !outcome.error.contains("memory"), "\(outcome.error)")
    #expect(outcome.error.contains(server.url("/").absoluteString))
  }
}
