import Testing
import URLLoadingBase

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

  @Test func commands() throws {
    #expect(String(decoding: PACHelperProtocol.command(script: "a\nä"), as: UTF8.self) == "script 4\na\nä")
    let question = try #require(PACQuestion("http://a.example/x"))
    #expect(
      String(decoding: PACHelperProtocol.command(find: question), as: UTF8.self)
        == "find http://a.example/x a.example\n")
  }
}
