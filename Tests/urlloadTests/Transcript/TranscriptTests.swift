import Foundation
import Testing
import URLLoadingBase
import URLLoadingTestServers

/// What people type, and exactly what they get.
///
/// `transcript.txt` has commands after `$ `, what they write on standard output, what they write on standard error after `! `, and their
/// exit code in brackets. `{http}`, `{https}`, `{dead}` and `{folder}` stand for a server, one with TLS, one that is not there, and the folder;
/// `{version}` for that of the package. A line that ends with `¶` has no line end. A pipeline fails with whatever fails in it, so that no program
/// hides the end of another. `URL_LOADING_WRITE_TRANSCRIPT=1` writes the file anew.
@Suite(.timeLimit(.minutes(Sanitizing.isOn ? 20 : 5))) struct TranscriptTests {
  private static let file = PackageFolder.root.appendingPathComponent("Tests/urlloadTests/Transcript/transcript.txt")

  @Test func everythingIsAsWritten() async throws {
    let expected = try String(contentsOf: Self.file, encoding: .utf8)
    let server = try TranscriptServer.start()
    let nginx = try await NginxServer.shared
    let folder = try TemporaryDirectory("transcript")
    try folder.write("bin/config", "")
    try FileManager.default.createSymbolicLink(
      at: folder.file("bin/urlload"), withDestinationURL: URL(fileURLWithPath: BuiltProgram.path("urlload")))
    try folder.write("ca.pem", try Data(contentsOf: try await TestCertificates.shared.authority))
    try folder.write("home/.netrc", "machine 127.0.0.1 login me password pw\n")
    let dead = "http://127.0.0.1:\(try FreePort.pick())"
    let places = [
      ("{https}", nginx.url("", on: .https).absoluteString),
      ("{wronghost}", nginx.url("", on: .httpsWrongHost).absoluteString),
      ("{http}", server.url("").absoluteString), ("{dead}", dead), ("{folder}", folder.path),
      ("{ca}", "\(folder.path)/ca.pem"), ("{http:port}", String(server.port)),
      ("{dead:port}", String(dead.split(separator: ":").last ?? "")),
    ]
    var found = ""
    var count = 0
    // Empty lines of an output are not ones between commands.
    var isBetween = true
    for line in expected.split(separator: "\n", omittingEmptySubsequences: false) {
      isBetween = line.hasPrefix("[") || isBetween && (line.isEmpty || line.hasPrefix("#"))
      if isBetween, !line.hasPrefix("[") { found += line + "\n" }
      guard line.hasPrefix("$ ") else { continue }
      count += line.contains("urlload") ? 1 : 0
      var command = String(line.dropFirst(2))
      for (name, place) in places { command = command.replacing(name, with: place) }
      let outcome = try await Command.run(
        "/bin/bash", ["-o", "pipefail", "-c", command],
        environment: [
          "PATH": "\(folder.path)/bin:/usr/bin:/bin", "HOME": "\(folder.path)/home",
          "XDG_CONFIG_HOME": "\(folder.path)/config",
          "CFFIXED_USER_HOME": "\(folder.path)/home", "CURL_CA_BUNDLE": nil, "SSL_CERT_FILE": nil, "SSL_CERT_DIR": nil,
        ], directory: folder.url)
      guard case .exited(let code) = outcome.status else {
        Issue.record("\(line): \(outcome.status)")
        return
      }
      var output = Self.lines(outcome.text, "") + Self.lines(outcome.error, "! ")
      for (name, place) in places.reversed() where !name.contains(":port") {
        output = output.replacing(place, with: name)
      }
      for (name, place) in places where name.contains(":port") {
        output = output.replacing(":\(place)", with: ":\(name)")
      }
      // What differs each time.
      output = output.replacing(folder.path.replacing("/", with: "%2F"), with: "{folder}")
      output = output.replacing(/after [0-9]+ ms/, with: "after {n} ms")
      // What newer versions of libcurl say.
      output = output.replacing("Could not connect to server", with: "Couldn't connect to server")
      output = output.replacing(/end of response with ([0-9]+) bytes missing/) {
        "transfer closed with \($0.output.1) bytes remaining to read"
      }
      output = output.replacing(/Connection timed out after [0-9]+ milliseconds/, with: "SSL connection timeout")
      output = output.replacing("swift-url-loading/\(PackageVersion.current)", with: "swift-url-loading/{version}")
      output = output.replacing(" port \(dead.split(separator: ":").last ?? "") ", with: " port {dead:port} ")
      found += "\(line)\n\(output)[\(code)]\n"
    }
    while found.hasSuffix("\n\n") { found.removeLast() }
    if ProcessInfo.processInfo.environment["URL_LOADING_WRITE_TRANSCRIPT"] != nil {
      try Data(found.utf8).write(to: Self.file)
      return
    }
    #expect(count >= 60)
    let (old, new) = (Self.lines(of: expected), Self.lines(of: found))
    for (index, (was, is_)) in zip(old, new).enumerated() where was != is_ {
      Issue.record("line \(index + 1): expected \"\(was)\", found \"\(is_)\"")
      return
    }
    #expect(old.count == new.count)
  }

  private static func lines(of text: String) -> [Substring] {
    text.split(separator: "\n", omittingEmptySubsequences: false)
  }

  private static func lines(_ text: String, _ prefix: String) -> String {
    guard !text.isEmpty else { return "" }
    let isWhole = text.hasSuffix("\n")
    let lines = text.replacing("\r\n", with: "\\r\n").split(separator: "\n", omittingEmptySubsequences: false).dropLast(
      isWhole ? 1 : 0)
    return lines.map { prefix + $0 }.joined(separator: "\n") + (isWhole ? "\n" : "¶\n")
  }
}
