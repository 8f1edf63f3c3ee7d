import Foundation
import Testing
import URLLoadingCurlTransport
import URLLoadingTestServers

/// Options of the connection, by what the server sees of them.
@Suite(.timeLimit(.minutes(Sanitizing.isOn ? 20 : 3))) struct ConnectionOptionTests {
  @Test(.enabled(if: FreePort.hasIPv6)) func oneFamilyOfAddressesAlone() async throws {
    let four = try ScriptedServer.http { _ in HTTPResponse(text: "4") }
    let six = try ScriptedServer.http(ipv6: true) { _ in HTTPResponse(text: "6") }
    for (server, right, wrong, text) in [(four, "-4", "-6", "4"), (six, "-6", "-4", "6")] {
      let url = server.url().absoluteString
      let refused = try await Urlload.run([wrong, url])
      #expect(refused.status == .exited(4), "\(wrong) \(url): \(refused.error)")
      #expect(server.connectionCount == 0)
      let outcome = try await Urlload.run([right, url])
      #expect(outcome.status == .exited(0) && outcome.text == text, "\(right) \(url): \(outcome.error)")
    }
  }

  @Test func theVersionOfHTTP() async throws {
    let authority = try await TestCertificates.shared.authority.path
    let url = try await NginxServer.shared.url("/echo", on: .https).absoluteString
    for (options, version) in [([], "2.0"), (["--http2"], "2.0"), (["--http1.1"], "1.1")] as [([String], String)] {
      let outcome = try await Urlload.run(["--cacert", authority] + options + [url])
      #expect(outcome.text.contains("protocol: HTTP/\(version)\n"), "\(options): \(outcome.text) \(outcome.error)")
    }
  }

  /// By whatever libcurl there is: one without HTTP/3 uses HTTP/2.
  @Test func aServerWithHTTP3() async throws {
    let authority = try await TestCertificates.shared.authority.path
    let url = try await CaddyServer.shared.url().absoluteString
    let version = TransferLibrary.speaksHTTP3 ? "3" : "2"
    var versions: Set<String> = []
    // QUIC may lose its head start on a busy machine.
    for _ in 0..<10 where !versions.contains(version) {
      let outcome = try await Urlload.run(["--cacert", authority, "--http3", "-w", "|%{http_version}", url])
      #expect(outcome.status == .exited(0), "\(outcome.text) \(outcome.error)")
      versions.insert(String(outcome.text.split(separator: "|").last ?? ""))
    }
    #expect(versions.contains(version) && versions.isSubset(of: ["2", version]), "\(versions)")
    let alone = try await Urlload.run(["--cacert", authority, "--http3-only", url])
    if TransferLibrary.speaksHTTP3 {
      #expect(alone.output == DocumentRoot.small, "\(alone.error)")
    } else {
      #expect(alone.status != .exited(0) && alone.output.isEmpty && alone.error.contains("HTTP/3 needs a libcurl"))
    }
    let both = try await Urlload.run(["--http3", "--http1.1", url])
    #expect(both.status == .exited(2) && both.error.contains("--http1.1 excludes --http3"), "\(both.error)")
  }

  @Test func theVersionOfTLS() async throws {
    let authority = try await TestCertificates.shared.authority.path
    let url = try await NginxServer.shared.url(on: .https).absoluteString
    // nginx has TLS 1.3 without being told to since 1.23.4.
    let newer = try await Urlload.run(["--cacert", authority, "--tlsv1.3", url]).status == .exited(0) ? "1.3" : "1.2"
    for (options, version) in [
      ([], newer), (["--tlsv1.2"], newer), (["--tls-max", "1.2"], "1.2"), (["--tlsv1.2", "--tls-max", "1.3"], newer),
    ] as [([String], String)] {
      let outcome = try await Urlload.run(["-v", "--cacert", authority] + options + [url])
      #expect(outcome.output == DocumentRoot.small)
      #expect(outcome.error.contains("* TLS \(version), cipher suite 0x"), "\(options): \(outcome.error)")
    }
    let root = try await TLSCorpus.shared.file("root.pem").path
    let old = try await TLSCorpus.server.url("TLS 1.2").absoluteString
    #expect(try await Urlload.run(["--cacert", root, old]).status == .exited(0))
    let refused = try await Urlload.run(["--cacert", root, "--tlsv1.3", old])
    #expect(refused.status == .exited(5) && refused.output.isEmpty, "\(refused.error)")
  }

  @Test func unixSockets() async throws {
    let folder = try TemporaryDirectory("socket")
    let path = folder.file("s").path
    let server = try ScriptedServer.http(socket: path) { request in
      HTTPResponse(text: "\(request.target) \(request.fields["Host"] ?? "") \(request.fields["Authorization"] ?? "")")
    }
    let url = server.url("/a").absoluteString
    for (arguments, text) in [
      ([url], "/a localhost "), (["--unix-socket", path, "http://docker/b"], "/b docker "),
      (["--unix-socket=\(path)", "docker:81/b"], "/b docker:81 "), (["-u", "u:p", url], "/a localhost Basic dTpw"),
    ] as [([String], String)] {
      let outcome = try await Urlload.run(
        arguments, environment: ["http_proxy": "127.0.0.1:9", "all_proxy": "127.0.0.1:9"])
      #expect(outcome.status == .exited(0) && outcome.text == text, "\(arguments): \(outcome.text) \(outcome.error)")
    }
    let relative = try await Urlload.run(["--unix-socket", "s", "http://docker/b"], in: folder)
    #expect(relative.text == "/b docker ", "\(relative.error)")
    for (arguments, status, words) in [
      (["--unix-socket", path + "x", "http://docker/"], 4, "there is no Unix socket at \(path)x"),
      (["--unix-socket", "", "http://docker/"], 2, "--unix-socket names no path"),
      (["--unix-socket", path, "--background", "-O", "http://docker/a"], 2, "--background has no --unix-socket"),
      ([url.replacingOccurrences(of: "%2Fs/", with: ":80/")], 3, "has no port"),
      (["--unix-socket", "/" + String(repeating: "x", count: 107), "http://docker/"], 3, "has 108 bytes"),
    ] as [([String], Int32, String)] {
      let outcome = try await Urlload.run(arguments)
      #expect(outcome.status == .exited(status), "\(arguments): \(outcome.error)")
      #expect(outcome.error.contains(words), "\(arguments): \(outcome.error)")
    }
  }

  @Test func whereConnectionsBegin() async throws {
    let server = try ScriptedServer { connection in
      while let request = try connection.readRequest() {
        let peer = connection.peer.map { "\($0.address) \($0.port)" } ?? ""
        try connection.send(HTTPResponse(text: peer), to: request)
      }
    }
    let url = server.url().absoluteString
    for place in ["127.0.0.66", "host!127.0.0.66"] {
      let outcome = try await Urlload.run(["--interface", place, "--keepalive-time", "30", url])
      #expect(outcome.text.hasPrefix("127.0.0.66 "), "\(place): \(outcome.text) \(outcome.error)")
    }
    for place in ["lo", "if!lo"] {
      let outcome = try await Urlload.run(["--interface", place, "--no-keepalive", url])
      #expect(outcome.text.hasPrefix("127.0.0.1 "), "\(place): \(outcome.text) \(outcome.error)")
    }
    let port = try FreePort.pick()
    let ports = port...min(port, .max - 9) + 9
    let ranged = try await Urlload.run(["--local-port", "\(ports.lowerBound)-\(ports.upperBound)", url])
    let taken = try #require(ranged.text.split(separator: " ").last.flatMap { UInt16($0) }, "\(ranged.error)")
    #expect(ports.contains(taken))
    for (arguments, status, words) in [
      (["--interface", ""], 2, "--interface  names no interface"), (["--interface", "192.0.2.1"], 4, ""),
      (["--interface", "no such one"], 4, "neither an address"),
      (["--local-port", "0"], 2, "--local-port 0 cannot be"), (["--local-port", "9-8"], 2, "cannot be"),
      (["--local-port", "1-70000"], 2, "cannot be"), (["--keepalive-time", "-1"], 2, "leaves no time"),
    ] as [([String], Int32, String)] {
      let outcome = try await Urlload.run(arguments + [url])
      #expect(outcome.status == .exited(status), "\(arguments): \(outcome.error)")
      #expect(words.isEmpty || outcome.error.contains(words), "\(arguments): \(outcome.error)")
    }
  }

  @Test func aRateIsKept() async throws {
    let body = Data(count: 1_500_000)
    let server = try ScriptedServer.http { _ in HTTPResponse(body: body) }
    let begin = ContinuousClock.now
    let outcome = try await Urlload.run(["--limit-rate", "1M", server.url().absoluteString])
    let time = begin.duration(to: .now)
    #expect(outcome.status == .exited(0) && outcome.output.count == body.count, "\(outcome.error)")
    // The first bytes, at most a buffer of libcurl's (512 KiB), come at once.
    #expect(time > .milliseconds(600), "\(time)")
  }

  @Test func aTokenLogsIn() async throws {
    let server = try ScriptedServer.http { HTTPResponse(text: $0.fields["Authorization"] ?? "none") }
    let url = server.url().absoluteString
    #expect(try await Urlload.run(["--oauth2-bearer", "a.b-c", url]).text == "Bearer a.b-c")
    #expect(try await Urlload.run([url]).text == "none")
  }

  @Test func compressedAnswersAreAskedForAndDecoded() async throws {
    let server = try await NginxServer.shared
    for options in [[], ["--compressed"], ["--compressed", "-N"]] {
      let outcome = try await Urlload.run(["-v"] + options + [server.url("/gzip/small.txt").absoluteString])
      #expect(outcome.output == DocumentRoot.small, "\(options): \(outcome.error)")
      #expect(outcome.error.lowercased().contains("< content-encoding: gzip"), "\(options): \(outcome.error)")
    }
  }
}
