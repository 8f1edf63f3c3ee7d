import Foundation
import Testing
import URLLoadingTestServers

/// What would give a build the toolchain's module, or two libraries, ends the build.
@Suite(.serialized, .disabled(if: Sanitizing.isOn)) struct DropInRefusalTests {
  @Test func aToolsetThatIsNotThere() async throws {
    let folder = try await DropInFolder.shared
    let client = try ClientPackage(copying: "Tests/Fixtures/DropInClient")
    let build = try await client.build(["--product", "Client", "--toolset", "\(folder.path)/other.json"])
    #expect(!build.succeeded)
    #expect(build.log.contains("other.json"))
  }

  /// A library alone is not linked: its compilation has to notice.
  @Test func aFolderThatWasMoved() async throws {
    let place = try TemporaryDirectory("drop-in")
    let folder = try await DropInFolder.make(in: place.path)
    try FileManager.default.moveItem(atPath: folder.path, toPath: place.file("elsewhere").path)
    for (toolset, more) in [("url-loading", []), ("url-loading-static", ["--static-swift-stdlib"])] {
      let client = try ClientPackage(copying: "Tests/Fixtures/DropInClient")
      let toolset = ["--toolset", place.file("elsewhere/\(toolset).json").path]
      let build = try await client.build(["--target", "Importing"] + more + toolset)
      #expect(!build.succeeded)
      #expect(build.log.contains("\(folder.path)/modules/drop-in.h' file not found"), "\(build.log)")
    }
  }

  @Test func aFolderOfAnotherCompiler() async throws {
    let place = try TemporaryDirectory("drop-in")
    let folder = try await DropInFolder.make(in: place.path)
    let header = URL(fileURLWithPath: "\(folder.path)/modules/drop-in.h")
    let text = try String(contentsOf: header, encoding: .utf8)
    #expect(text.contains("(__clang_version__, \""))
    try text.replacingOccurrences(of: "(__clang_version__, \"", with: "(__clang_version__, \"0.")
      .write(to: header, atomically: true, encoding: .utf8)
    let client = try ClientPackage(copying: "Tests/Fixtures/DropInClient")
    let build = try await client.build(["--target", "Importing"] + folder.toolset)
    #expect(!build.succeeded)
    #expect(build.log.contains("This drop-in folder was made by "), "\(build.log)")
  }

  @Test func theStaticStandardLibraryWithTheDynamicSet() async throws {
    let folder = try await DropInFolder.shared
    let client = try ClientPackage(copying: "Tests/Fixtures/DropInClient")
    let build = try await client.build(["--product", "Client", "--static-swift-stdlib"] + folder.toolset)
    #expect(!build.succeeded)
    #expect(build.log.contains("with --static-swift-stdlib use url-loading-static.json"), "\(build.log)")
  }

  @Test func ourProductsFromSourceBesideTheFolder() async throws {
    let folder = try await DropInFolder.shared
    let client = try ClientPackage(copying: "Tests/Fixtures/DropInClient")
    let root = PackageFolder.root
    let package = "dependencies: [.package(path: \"\(root.path)\")]"
    let product = "dependencies: [.product(name: \"FoundationNetworking\", package: \"\(root.lastPathComponent)\")]"
    try client.edit("Package.swift", "  targets: [", "  \(package),\n  targets: [")
    try client.edit("Package.swift", "\"Importing\")", "\"Importing\", \(product))")
    let build = try await client.build(["--product", "Client"] + folder.toolset)
    #expect(!build.succeeded)
    #expect(build.log.contains("set URL_LOADING_USE_DROP_IN=1"), "\(build.log)")

    // With the switch the product is the folder's module, and nothing without one.
    let environment = ["URL_LOADING_USE_DROP_IN": "1"]
    try await client.check(build: ["--product", "Client"] + folder.toolset, environment: environment)
    #expect(try await client.run("Client") == "URLLoading.URLSession\n")
    let alone = try await client.build(["--product", "Client"], environment: environment)
    #expect(!alone.succeeded)
    #expect(alone.log.contains("the build has no drop-in folder"), "\(alone.log)")
  }
}
