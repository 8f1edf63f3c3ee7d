import Foundation
import Testing
import URLLoadingTestServers

/// The service's man page says what it takes.
@Suite(.timeLimit(.minutes(2))) struct ServiceManualTests {
  private static let page = PackageFolder.root.appending(path: "Documentation/urlloadd.1")

  @Test func everyOptionIsThere() async throws {
    let help = try await Command.check(BuiltProgram.path("urlloadd"), ["--help"])
    // Of one line each: two spaces, a hyphen or two, a name.
    let names = Set(
      String(decoding: help, as: UTF8.self).split(separator: "\n").filter { $0.hasPrefix("  -") }
        .flatMap { $0.split(whereSeparator: { " ,".contains($0) }) }.filter { $0.hasPrefix("--") }.map(String.init))
    #expect(names.isSuperset(of: ["--idle-seconds", "--most-tasks", "--version", "--help"]), "\(names)")
    let text = try String(contentsOf: Self.page, encoding: .utf8)
    for name in names { #expect(text.contains(name.replacing("-", with: "\\-")), "\(name)") }
  }

  @Test func itIsShownWithoutWarnings() async throws {
    let shown = try await Command.run("man", ["-l", "--warnings", "-P", "cat", Self.page.path])
    #expect(shown.status == .exited(0) && shown.error.isEmpty, "\(shown.error)")
  }
}
