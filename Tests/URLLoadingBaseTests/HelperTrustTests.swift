import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoadingBase

/// Programs and libraries that others may have put where we look for them.
@Suite struct HelperTrustTests {
  private static let helper = HelperProgram(name: "helper", variable: "HELPER")
  private let folder: TemporaryDirectory
  /// The folder's path without links.
  private let root: String

  init() throws {
    folder = try TemporaryDirectory("helper")
    chmod(folder.path, 0o755)
    let resolved = try #require(realpath(folder.path, nil))
    root = String(cString: resolved)
    free(resolved)
  }

  private func makeHelper(in name: String, mode: mode_t = 0o755) throws {
    try FileManager.default.createDirectory(at: folder.file(name), withIntermediateDirectories: true)
    _ = try folder.writeScript("\(name)/helper", "true")
    chmod(folder.file("\(name)/helper").path, 0o755)
    chmod(folder.file(name).path, mode)
  }

  private func look(path: String = "", named: String? = nil) -> HelperProgram.Finding {
    Self.helper.look(
      environment: { ["PATH": path, "HELPER": named ?? ""][$0] }, executable: "\(root)/beside/program")
  }

  @Test(arguments: [0o1777, 0o777, 0o775] as [mode_t]) func aPlantedProgramIsNotRun(mode: mode_t) throws {
    try makeHelper(in: "beside", mode: mode)
    try makeHelper(in: "shared", mode: mode)
    let finding = look(path: "\(root)/shared")
    #expect(finding.path == nil)
    #expect(finding.refusal?.hasPrefix("\(root)/beside/helper is not safe: ") == true, "\(finding)")
    // One that is safe stands after it.
    try makeHelper(in: "own")
    #expect(look(path: "\(root)/shared:\(root)/own").path == "\(root)/own/helper")
    // What the user names is his choice.
    #expect(look(named: "\(root)/shared/helper") == HelperProgram.Finding(path: "\(root)/shared/helper"))
  }

  @Test func onesOwnProgramIsRun() throws {
    try makeHelper(in: "beside")
    #expect(look() == HelperProgram.Finding(path: "\(root)/beside/helper"))
    #expect(look(path: "\(root)/none").path == "\(root)/beside/helper")
  }

  @Test func linksAreResolved() throws {
    try makeHelper(in: "shared", mode: 0o777)
    try FileManager.default.createDirectory(at: folder.file("beside"), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: folder.file("beside/helper").path, withDestinationPath: "../shared/helper")
    #expect(look().path == nil && look().refusal?.contains("\(root)/shared") == true)
  }

  /// Files can be given away by the superuser alone.
  @Test(.enabled(if: geteuid() == 0)) func aProgramOfAnotherUserIsNotRun() throws {
    try makeHelper(in: "beside")
    chown(folder.file("beside/helper").path, 65_534, 65_534)
    #expect(look().path == nil && look().refusal?.contains("owned by the user 65534") == true)
  }

  @Test func librariesComeFromSafeFolders() throws {
    try makeHelper(in: "shared", mode: 0o1777)
    try makeHelper(in: "own")
    func paths(_ folders: [String], chosen: [String] = []) -> [String]? {
      SystemLibrary.paths(of: "helper", in: folders.map { "\(root)/\($0)" }, chosen: chosen)
    }
    #expect(paths(["own", "missing"]) == nil)
    #expect(paths(["shared", "own", "missing"]) == ["\(root)/own/helper"])
    #expect(paths(["shared"]) == [])
    // Others could make what is missing.
    #expect(paths(["shared/lib", "own"]) == ["\(root)/own/helper"])
    #expect(paths(["shared"], chosen: ["\(root)/shared"]) == nil)
    // One of the system's is found, whatever lies beside the program.
    #expect(SystemLibrary.open("libc.so.6") != nil)
    #expect(SystemLibrary.open("libnone-of-these.so.1") == nil)
  }
}
