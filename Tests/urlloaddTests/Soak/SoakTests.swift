import Foundation
import Testing
import URLLoadingTestServers

/// Every byte arrives, and the end is heard of once, whatever befalls the program, the service, the server and the disk.
///
/// `make soak` has all cases, in large; the tests have a few, in small (`SoakSettings`).
@Suite(.serialized, .timeLimit(.minutes(SoakSettings.isWhole ? 20 : 5))) struct SoakTests {
  @Test(arguments: SoakCase.chosen.filter { $0.scheme != .vault }) func aTransferIsWhole(_ given: SoakCase) async throws
  {
    try await SoakRun(given, in: BackgroundFixture(preparation: ProgramStarter.outlivesFileLimit)).run()
  }
}

/// The same for a private scheme, by a plugin. The time to build it is within the limit.
@Suite(.serialized, .disabled(if: Sanitizing.isOn), .timeLimit(.minutes(45))) struct PluginSoakTests {
  @Test(arguments: SoakCase.chosen.filter { $0.scheme == .vault }) func aTransferIsWhole(_ given: SoakCase) async throws
  {
    let build = try await PluginBuild.shared
    try await SoakRun(given, in: build.fixture(preparation: ProgramStarter.outlivesFileLimit)).run()
  }
}
