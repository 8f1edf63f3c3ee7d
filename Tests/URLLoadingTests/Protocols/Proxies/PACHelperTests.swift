import Foundation
import Testing
import URLLoadingBase
import URLLoadingTestServers

@testable import URLLoading

/// Where the program that runs scripts is looked for, and what goes to and from it.
@Suite struct PACHelperTests {
  @Test func theOrderOfTheSearch() {
    let environment = ["PATH": "/one::relative:/two"]
    #expect(
      HelperProgram.pac.candidates(environment: { environment[$0] }, executable: "/opt/app/bin/tool") == [
        "/opt/app/bin/urlload-pac", "/one/urlload-pac", "/two/urlload-pac",
      ])
  }

  @Test func theVariableAloneCounts() {
    let environment = ["PATH": "/one", "URL_LOADING_PAC_HELPER": "/x/pac"]
    #expect(HelperProgram.pac.candidates(environment: { environment[$0] }, executable: "/a/b") == ["/x/pac"])
  }

  @Test func nothingIsKnown() {
    #expect(HelperProgram.pac.candidates(environment: { _ in nil }, executable: nil) == [])
  }

  @Test func replies() {
    #expect(PACHelperProtocol.reply("urlload-pac 1") == .ready(version: "1"))
    #expect(PACHelperProtocol.reply("missing libpacparser.so.1") == .missing("libpacparser.so.1"))
    #expect(PACHelperProtocol.reply("ok ") == .ok)
    #expect(PACHelperProtocol.reply("result PROXY a:1; DIRECT") == .result("PROXY a:1; DIRECT"))
    #expect(PACHelperProtocol.reply("result ") == .result(""))
    #expect(PACHelperProtocol.reply("error SyntaxError ") == .error("SyntaxError"))
    #expect(PACHelperProtocol.reply("") == nil)
    #expect(PACHelperProtocol.reply("HTTP/1.1 200 OK") == nil)
  }

  /// Whatever a script does.
  @Test(.timeLimit(.minutes(1))) func itEndsWithItsProgram() async throws {
    var sockets: [Int32] = [-1, -1]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &sockets) == 0)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: BuiltProgram.path("urlload-pac"))
    process.standardInput = FileHandle(fileDescriptor: sockets[1], closeOnDealloc: false)
    process.standardOutput = FileHandle(fileDescriptor: sockets[1], closeOnDealloc: false)
    let ended = Watched(false)
    process.terminationHandler = { _ in ended.update { $0 = true } }
    try process.run()
    close(sockets[1])
    let program = FileHandle(fileDescriptor: sockets[0], closeOnDealloc: true)
    let script = PACHelperProtocol.command(script: "function FindProxyForURL() { while (true); }")
    try program.write(
      contentsOf: script + PACHelperProtocol.command(find: try #require(PACQuestion("http://a.example/"))))
    var said = ""
    while !said.contains("ok") { said += String(decoding: program.availableData, as: UTF8.self) }
    try program.close()
    #expect(await ended.wait(timeout: .seconds(20), until: { $0 }))
    // Not by SIGXCPU, for a script that has used up its time.
    #expect(process.terminationReason == .exit && process.terminationStatus == 0)
  }

  @Test func commands() throws {
    #expect(String(decoding: PACHelperProtocol.command(script: "a\nä"), as: UTF8.self) == "script 4\na\nä")
    let question = try #require(PACQuestion("http://a.example/x"))
    #expect(
      String(decoding: PACHelperProtocol.command(find: question), as: UTF8.self)
        == "find http://a.example/x a.example\n")
  }
}
