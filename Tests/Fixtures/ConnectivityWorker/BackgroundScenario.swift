import URLLoadingTestServers

/// A server, for programs that others start in this network.
enum BackgroundScenario {
  /// Serves while there is standard input, whose line `up` brings the network up. Says the port, and what was asked for.
  static func serve(_ loopback: Loopback) async throws {
    let server = try await loopback.serving {
      try ScriptedServer.http { request in
        say("request \(request.method) \(request.target) \(request.body.count)")
        return HTTPResponse(text: "hello")
      }
    }
    // It ends with its last reference.
    defer { withExtendedLifetime(server) {} }
    say("port \(server.port)")
    while let line = readLine() {
      guard line == "up" else { throw TestServerError("what is \(line)?") }
      try loopback.comeUp()
    }
  }
}
