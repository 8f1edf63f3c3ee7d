import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// A private scheme in the service, by a plugin: `Samples/ServicePlugin`.
@Suite(.serialized, .disabled(if: Sanitizing.isOn), .timeLimit(.minutes(45))) struct PluginTransferTests {
  private func fixture(plugin mode: mode_t = 0o700) async throws -> BackgroundFixture {
    try await PluginBuild.shared.fixture(plugin: mode)
  }

  private func url(_ server: ScriptedServer, _ path: String) -> URL { server.url(path, scheme: "vault") }

  /// No byte of the body is sent before the program has ended.
  @Test func aGibibyteComesWhenTheProgramIsGone() async throws {
    let count = 1 << 30
    let isGone = AsyncEvent()
    let server = try ScriptedServer { connection in
      while let request = try connection.readRequest() {
        let start = request.fields["Range"].flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0
        let range = start == 0 ? "" : "Content-Range: bytes \(start)-\(count - 1)/\(count)\r\n"
        try connection.send(
          "HTTP/1.1 \(start == 0 ? "200 OK" : "206 Partial")\r\nETag: \"40\"\r\nAccept-Ranges: bytes\r\n\(range)Content-Length: \(count - start)\r\n\r\n"
        )
        guard isGone.waitBlocking(timeout: .seconds(120)) else { return }
        for position in stride(from: start, to: count, by: 1 << 20) {
          try connection.send(TestFiles.pattern(count: min(1 << 20, count - position), seed: 40, offset: position))
        }
      }
    }
    let fixture = try await fixture()
    try await fixture.leave("test", "download:\(url(server, "/big"))")
    isGone.signal()
    let program = try fixture.program()
    #expect(try await program.says("ended 1 0", timeout: .seconds(240)), "\(program.lines)")
    #expect(try TestFiles.firstDifference(in: fixture.taken.appending(path: "1"), count: count, seed: 40) == nil)
    // It was the plugin that asked.
    #expect(server.requests.allSatisfy { $0.fields["X-Asked-By"] == "vault" })
    await program.kill()
    await fixture.stop()
  }

  /// The server reads no byte of the body before the program has ended.
  @Test func anUploadArrivesWhenTheProgramIsGone() async throws {
    let body = TestFiles.pattern(count: 16 << 20, seed: 41)
    let isGone = AsyncEvent()
    let received = Watched(Data())
    let server = try ScriptedServer { connection in
      while let request = try connection.readRequestHead() {
        guard isGone.waitBlocking(timeout: .seconds(120)) else { return }
        if request.fields["Expect"] != nil { try connection.send("HTTP/1.1 100 Continue\r\n\r\n") }
        let body = try connection.readBody(of: request)
        received.update { $0 = body }
        try connection.send("HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n")
      }
    }
    let fixture = try await fixture()
    let file = fixture.directory.file("source")
    try body.write(to: file)
    try await fixture.leave("test", "upload:\(file.path),\(url(server, "/up"))")
    try FileManager.default.removeItem(at: file)
    isGone.signal()
    let program = try fixture.program()
    #expect(try await program.says("ended 1 0", timeout: .seconds(120)), "\(program.lines)")
    #expect(difference(received.value, from: body) == nil)
    #expect(server.requests.map(\.method) == ["PUT"])
    await program.kill()
    await fixture.stop()
  }

  /// Each connection stops at its share of the body until the service is gone; the program starts the next service, which loads the
  /// plugin anew.
  @Test func aDownloadGoesOnWhereTheServiceWasKilled() async throws {
    let body = TestFiles.pattern(count: 3_000_000, seed: 42)
    let server = try OutlivingTests.slowServer(body, pause: 20_000, held: 2)
    let fixture = try await fixture()
    let program = try fixture.program("test", "download:\(url(server, "/a"))")
    func writtenCount() -> Int {
      program.all("wrote").last.flatMap { $0.split(separator: " ").dropFirst().first }.flatMap { Int($0) } ?? 0
    }
    // In the middle of the first share, and in that of the second.
    for count in [500_000, 1_500_000] {
      #expect(try await eventually { writtenCount() >= count }, "\(program.lines)")
      try await fixture.killService()
    }
    #expect(try await program.says("ended 1 0", timeout: .seconds(60)), "\(program.lines)")
    #expect(program.all("ended").count == 1, "\(program.lines)")
    #expect(try TestFiles.firstDifference(in: fixture.taken.appending(path: "1"), count: body.count, seed: 42) == nil)
    // One request is for all, and each other one for what that before it had left.
    let starts = server.requests.map { $0.fields["Range"].flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0 }
    #expect(starts.count == 3 && starts.first == 0, "\(starts)")
    #expect(zip(starts, starts.dropFirst()).allSatisfy { $0 < $1 }, "\(starts)")
    #expect(server.requests.allSatisfy { $0.fields["X-Asked-By"] == "vault" })
    await program.kill()
    await fixture.stop()
  }

  /// The plugin cannot send the rest of a body alone: the next service sends all of it.
  @Test func anUploadBeginsAgainWhenTheServiceWasKilled() async throws {
    let body = TestFiles.pattern(count: 16 << 20, seed: 43)
    let (hasBegun, isGone) = (AsyncEvent(), AsyncEvent())
    let received = Watched<[Data]>([])
    let server = try ScriptedServer { connection in
      while let request = try connection.readRequestHead() {
        if request.fields["Expect"] != nil { try connection.send("HTTP/1.1 100 Continue\r\n\r\n") }
        if !hasBegun.isSignalled {
          _ = try connection.readBody(count: 1 << 20)
          hasBegun.signal()
          // What is left is more than the buffers of both ends hold.
          _ = isGone.waitBlocking(timeout: .seconds(120))
          return
        }
        let body = try connection.readBody(of: request)
        received.update { $0.append(body) }
        try connection.send("HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n")
      }
    }
    let fixture = try await fixture()
    let file = fixture.directory.file("source")
    try body.write(to: file)
    let program = try fixture.program("test", "upload:\(file.path),\(url(server, "/up"))")
    #expect(await hasBegun.wait(), "\(program.lines)")
    try await fixture.killService()
    isGone.signal()
    #expect(try await program.says("ended 1 0", timeout: .seconds(60)), "\(program.lines)")
    #expect(received.value.count == 1)
    #expect(difference(received.value.first ?? Data(), from: body) == nil)
    #expect(server.requests.map(\.method) == ["PUT", "PUT"])
    await program.kill()
    await fixture.stop()
  }

  /// The service has tasks that wait, and does not end by itself.
  @Test func aPluginThatIsPutRightIsLoadedWhenAProgramComes() async throws {
    let body = TestFiles.pattern(count: 3_000_000, seed: 44)
    let server = try OutlivingTests.slowServer(body, held: 1)
    let fixture = try await fixture()
    let plugin = fixture.directory.file("plugins/vault.so").path
    let first = try fixture.program("test", "download:\(url(server, "/a"))")
    #expect(try await first.says("wrote", timeout: .seconds(60)), "\(first.lines)")
    chmod(plugin, 0o722)
    try await fixture.killService()
    // The program has the next one started.
    func waits() -> Bool {
      let jobs = (try? BackgroundControl(at: fixture.place).jobs()) ?? []
      return jobs.contains { $0.failure?.contains("may write to") == true && !$0.hasEnded }
    }
    #expect(try await eventually { waits() }, "\(first.lines)")
    await first.kill()
    let service = try #require(fixture.service)
    chmod(plugin, 0o700)
    let second = try fixture.program()
    #expect(try await second.says("ended 1 0", timeout: .seconds(60)), "\(second.lines)")
    #expect(fixture.service != service)
    #expect(try TestFiles.firstDifference(in: fixture.taken.appending(path: "1"), count: body.count, seed: 44) == nil)
    let ranges = server.requests.map { $0.fields["Range"] }
    #expect(ranges.count == 2 && ranges.first == .some(nil) && ranges.last != .some(nil), "\(ranges)")
    await second.kill()
    await fixture.stop()
  }

  @Test func aRefusedPluginIsInTheErrorOfItsTasks() async throws {
    let fixture = try await fixture(plugin: 0o722)
    let program = try fixture.program("test", "download:vault://127.0.0.1/a")
    #expect(try await program.says("ended 1 -1002"), "\(program.lines)")
    let words = program.all("ended").first ?? ""
    #expect(words.contains(fixture.pluginList.path), "\(words)")
    #expect(words.contains("may write to") && words.contains("vault.so"), "\(words)")
    await program.kill()
    await fixture.stop()
  }
}

/// A service that was built from source, as those of all other tests.
@Suite(.timeLimit(.minutes(3))) struct PluginsFromSourceTests {
  @Test func itLoadsNoneAndSaysSo() async throws {
    let fixture = try BackgroundFixture()
    try fixture.name(plugins: "/opt/plugins/vault.so")
    let program = try fixture.program("test", "download:vault://127.0.0.1/a")
    #expect(try await program.says("ended 1 -1002"), "\(program.lines)")
    let words = program.all("ended").first ?? ""
    #expect(words.contains(fixture.pluginList.path) && words.contains("has the library inside"), "\(words)")
    await program.kill()
    await fixture.stop()
  }
}
