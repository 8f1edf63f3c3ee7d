import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// A service that has as many descriptors as it may have.
@Suite(.timeLimit(.minutes(5))) struct DescriptorShortageTests {
  private static let limit = 48

  private func descriptorCount(of process: pid_t) -> Int {
    ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd")) ?? []).count
  }

  /// Seconds of processor time (proc(5), `stat`).
  private func processorTime(of process: pid_t) throws -> Double {
    let text = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
    let fields = text.split(separator: ")").last?.split(separator: " ").map(String.init) ?? []
    let ticks = [11, 12].compactMap { fields.indices.contains($0) ? Double(fields[$0]) : nil }.reduce(0, +)
    return ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  /// Connects and greets, and waits for no answer.
  private func connect(to fixture: BackgroundFixture) throws -> BackgroundSocket {
    let socket = try BackgroundSocket(to: fixture.place)
    let hello = BackgroundCommand.hello(version: BackgroundWire.version, package: "0", program: nil)
    let bytes = try #require(BackgroundFrames.encoded(NumberedCommand(number: 0, command: hello)))
    #expect(socket.send(bytes))
    return socket
  }

  @Test func tasksWaitForDescriptorsAndTheServiceRests() async throws {
    let fixture = try BackgroundFixture(preparation: "ulimit -n \(Self.limit)")
    let (first, second) = (
      try ScriptedServer.http { _ in HTTPResponse(text: "1") }, try ScriptedServer.http { _ in HTTPResponse(text: "2") }
    )
    let program = try fixture.program("test", "download:\(first.url())")
    #expect(try await program.says("ended 1 0 200", timeout: .seconds(60)), "\(program.lines)")
    let control = try await fixture.control()
    let service = try #require(fixture.service)
    // More than it can take: the others stay in the queue of its socket.
    var sockets: [BackgroundSocket] = []
    for _ in 0..<Self.limit + 8 { sockets.append(try connect(to: fixture)) }
    #expect(try await eventually { descriptorCount(of: service) == Self.limit }, "\(descriptorCount(of: service))")
    program.tell("make download:\(second.url())")
    let words = String(cString: strerror(EMFILE))
    #expect(
      try await eventually(timeout: .seconds(30)) { try control.jobs().last?.failure?.contains(words) == true })
    #expect(try control.jobs().last?.hasEnded == false)
    // What it uses of two seconds in which somebody wants to connect.
    let before = try processorTime(of: service)
    try await Task.sleep(for: .seconds(2))
    #expect(try processorTime(of: service) - before < 0.7)
    for socket in sockets { socket.end() }
    #expect(try await program.says("ended 2 0 200", timeout: .seconds(60)), "\(program.lines)")
    // It takes whoever comes again.
    #expect(try await fixture.control().jobs().isEmpty)
    withExtendedLifetime((sockets, control, first, second)) {}
    await program.kill()
    await fixture.stop()
  }

  /// As many as the user may have; a program that it starts has the usual number.
  @Test func theServiceMayHaveMoreThanItsPrograms() async throws {
    let fixture = try BackgroundFixture(preparation: "ulimit -S -n 300")
    let server = try ScriptedServer.http { _ in HTTPResponse(text: "1") }
    let file = fixture.directory.file("limit")
    let launched = try fixture.directory.writeScript("launched", "ulimit -S -n >'\(file.path)'")
    try await fixture.leave("test", "--launched-by", launched.path, "download:\(server.url())")
    #expect(try await eventually { (try? String(contentsOf: file, encoding: .utf8)) == "300\n" })
    let limits = try String(contentsOfFile: "/proc/\(try #require(fixture.service))/limits", encoding: .utf8)
    let line = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max open files") })
    let words = line.split(separator: " ")
    #expect(words[3] == words[4], "\(line)")
    await fixture.stop()
  }
}
