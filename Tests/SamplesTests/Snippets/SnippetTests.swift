import Foundation
import Testing
import URLLoadingTestServers

/// Programs as people paste them compile against the drop-in without a change or a warning, and print what is expected.
@Suite struct SnippetTests {
  @Test(arguments: try Snippet.all) func printsWhatIsExpected(_ snippet: Snippet) async throws {
    let outcome = try await snippet.run()
    #expect(outcome.status == .exited(0), "\(outcome.error)")
    #expect(outcome.text == (try snippet.expected), "\(outcome.text)\n\(outcome.error)")
  }

  /// Who uses this library alone does not compile what other products of it depend on.
  @Test func otherProductsAreNotCompiled() async throws {
    let modules = try await Snippet.programs.server.appending(component: "Modules")
    let names = try FileManager.default.contentsOfDirectory(atPath: modules.path)
    #expect(names.contains("URLLoading.swiftmodule"))
    #expect(
      !names.contains {
        $0.contains("HTTPTypes") || $0.contains("Logging") || $0.contains("ArgumentParser") || $0.contains("Protocol.")
      })
  }

  @Test func eachHasAnExpectedOutput() throws {
    #expect(try Snippet.all.map(\.name) == Snippet.names(in: "Sources"))
  }
}
