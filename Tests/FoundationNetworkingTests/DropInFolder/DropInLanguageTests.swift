import Foundation
import Testing
import URLLoadingTestServers

/// Programs that are written against FoundationNetworking's interface, or Apple's, compile unedited: in both language modes, with both sets.
@Suite(.serialized, .disabled(if: Sanitizing.isOn)) struct DropInLanguageTests {
  @Test(arguments: ["5", "6"]) func whatFoundationNetworkingLetsOthersWriteCompiles(mode: String) async throws {
    let folder = try await DropInFolder.shared
    for toolset in [folder.toolset, folder.staticToolset] {
      let client = try ClientPackage(copying: "Tests/Fixtures/DropInClient")
      let environment = ["LANGUAGE_MODE": mode]
      try await client.check(build: ["--product", "WrittenForLinux"] + toolset, environment: environment)
      #expect(try await client.run("WrittenForLinux") == writtenForLinux)
      try await client.check(build: ["--product", "CloseCodes"] + toolset, environment: environment)
      #expect(try await client.run("CloseCodes") == closeCodes)
    }
  }

  /// The same program with the toolchain's module: it is that interface's, and its answers are the same.
  @Test func theProgramIsOneForFoundationNetworking() async throws {
    let client = try ClientPackage(copying: "Tests/Fixtures/DropInClient")
    try await client.check(build: ["--product", "WrittenForLinux"])
    #expect(try await client.run("WrittenForLinux") == writtenForLinux)
  }

  private let writtenForLinux = """
    ["background", "default", "signalling", "video", "voice", "voip"]
    cache reject
    new main
    not session
    canceling cache
    https string
    DTLS
    299 bytes 0-4/5 mine ["mine"]
    text/own 7
    6 space
    challenge 1000
    1 60.0
    1 true
    label true metrics
    0 0
    0 0
    none own
    configuration
    delegate
    short text/own
    shorter
    configuration 0 task completed
    0 0 0
    false

    """

  private let closeCodes = """
    normal 1000
    other 1001
    invalid 0
    unknown 4000
    true true
    4000 4869 true
    ["responsive data", "streaming", "streaming", "signalling", "none of these"]
    true

    """
}
