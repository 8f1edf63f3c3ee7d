import Foundation
import Testing
import URLLoadingTestServers

/// The folder's libraries have the symbols of our modules, and take none of a program's.
@Suite(.serialized, .disabled(if: Sanitizing.isOn)) struct DropInExportTests {
  static let libraries = ["URLLoading", "ArchiveProtocol", "SFTPProtocol", "WebDAVProtocol", "URLProtocolTesting"]

  @Test(arguments: libraries) func exportsAreDeclarationsOfOurModules(_ library: String) async throws {
    let folder = try await DropInFolder.shared
    let shared = try await symbols(["--dynamic", "\(folder.path)/dynamic/lib\(library).so"])
    let archived = try await symbols(["\(folder.path)/archives/lib\(library).a"])
    #expect(shared == archived)
    #expect(!shared.isEmpty)
    let names = Data(shared.joined(separator: "\n").utf8)
    let text = try await Command.check("swift-demangle", ["--no-sugar"], input: names)
    let modules = Self.libraries + ["FoundationNetworking", "URLLoadingBase", "URLLoadingHTTPSemantics"]
    for line in String(decoding: text, as: UTF8.self).split(separator: "\n") {
      #expect(modules.contains { line.contains("\($0).") || line.contains("in \($0)") }, "\(line)")
    }
  }

  /// The program has C functions, a C module and a Swift module of the same names.
  @Test func aProgramWithTheSameNamesIsNotDisturbed() async throws {
    let folder = try await DropInFolder.shared
    for toolset in [folder.toolset, folder.staticToolset] {
      let client = try ClientPackage(copying: "Tests/Fixtures/DropInClash")
      try await client.check(build: ["--product", "Clash"] + toolset)
      #expect(try await client.run("Clash", ["data:,Hi"]) == "2 42 43 44\n")
    }
  }

  private func symbols(_ arguments: [String]) async throws -> [String] {
    let output = try await Command.check("nm", ["--defined-only", "--extern-only", "--format=posix"] + arguments)
    return String(decoding: output, as: UTF8.self).split(separator: "\n").filter { $0.contains(" ") }
      .map { String($0.prefix { $0 != " " }) }.sorted()
  }
}
