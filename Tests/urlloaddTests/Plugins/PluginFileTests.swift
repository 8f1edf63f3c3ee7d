import Foundation
import Testing
import URLLoadingTestServers

@testable import urlloadd

/// Files that are refused before anybody runs them.
@Suite struct PluginFileTests {
  private static let library = SharedLibrary(machine: 62, mark: BuildMark(version: "0.1.0", compiler: "swift-6.3.1"))
  private let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory("plugins")
    chmod(folder.path, 0o700)
  }

  /// - Returns: why the file is refused; nil where it is not.
  private func error(_ made: MadeELF = MadeELF(), mode: mode_t = 0o600) throws -> PluginError? {
    let file = try folder.write("plugin.so", Data(made.bytes))
    chmod(file.path, mode)
    return error(of: file.path)
  }

  private func error(of path: String) -> PluginError? {
    do throws(PluginError) {
      _ = try PluginFile(path: path, library: Self.library)
      return nil
    } catch {
      return error
    }
  }

  @Test func aGoodOneIsTaken() throws {
    #expect(try error() == nil)
    #expect(try error(mode: 0o755) == nil)
    // A link is followed once, and the file is what counts.
    let link = folder.file("link.so")
    try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: "plugin.so")
    #expect(error(of: link.path) == nil)
  }

  @Test func whatOthersMayWriteIsRefused() throws {
    let path = try #require(
      realpath(folder.path, nil).map { pointer in
        defer { free(pointer) }
        return String(cString: pointer)
      })
    #expect(try error(mode: 0o620) == .writableByOthers(path: "\(path)/plugin.so"))
    #expect(try error(mode: 0o602) == .writableByOthers(path: "\(path)/plugin.so"))
    chmod(folder.path, 0o770)
    #expect(try error() == .writableByOthers(path: path))
    chmod(folder.path, 0o1777)
    #expect(try error() == .writableByOthers(path: path))
  }

  /// Whoever may replace a link decides what is loaded.
  @Test func aLinkThatOthersMayReplaceIsRefused() throws {
    _ = try error()
    let links = folder.file("links")
    try FileManager.default.createDirectory(at: links, withIntermediateDirectories: true)
    let link = links.appending(path: "link.so").path
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "../plugin.so")
    chmod(links.path, 0o700)
    #expect(error(of: link) == nil)
    chmod(links.path, 0o770)
    let path = try OpenFile.resolved(links.path)
    #expect(error(of: link) == .writableByOthers(path: path))
  }

  /// Files can be given away by the superuser alone.
  @Test(.enabled(if: geteuid() == 0)) func whatOthersOwnIsRefused() throws {
    _ = try error()
    let file = folder.file("plugin.so").path
    chown(file, 65_533, 65_533)
    guard case .foreignOwner(65_533, _, _) = error(of: file) else {
      Issue.record("the file of another user: \(String(describing: error(of: file)))")
      return
    }
    chown(file, 0, 0)
    chown(folder.path, 65_533, 65_533)
    guard case .foreignOwner(65_533, _, _) = error(of: file) else {
      Issue.record("the folder of another user: \(String(describing: error(of: file)))")
      return
    }
    chown(folder.path, 0, 0)
  }

  @Test func whatIsNoFileIsRefused() throws {
    #expect(error(of: folder.path) == .notRegular)
    #expect(error(of: folder.file("nothing").path) == .unreadable(number: ENOENT))
    // Nobody waits for a writer.
    let pipe = folder.file("pipe").path
    #expect(mkfifo(pipe, 0o600) == 0)
    #expect(error(of: pipe) == .notRegular)
    try folder.write("text.so", "no plugin")
    chmod(folder.file("text.so").path, 0o600)
    #expect(error(of: folder.file("text.so").path) == .notShared)
  }

  @Test func hugeFilesAreRefused() throws {
    let file = try folder.write("huge.so", "x")
    chmod(file.path, 0o600)
    #expect(truncate(file.path, off_t(PluginFile.sizeLimit + 1)) == 0)
    #expect(error(of: file.path) == .tooLarge(limit: PluginFile.sizeLimit))
  }

  @Test func otherLibrariesAreRefused() throws {
    #expect(try error(MadeELF(machine: 183)) == .notShared)
    #expect(try error(MadeELF(needed: ["libswiftCore.so"])) == .lacksLibrary("libURLLoading.so"))
    #expect(try error(MadeELF(needed: ["libURLLoading.so"])) == .lacksLibrary("libswiftCore.so"))
    #expect(try error(MadeELF(needed: [])) == .lacksLibrary("libURLLoading.so"))
    #expect(try error(MadeELF(mark: nil)) == .lacksMark)
    #expect(try error(MadeELF(mark: "0.2.0\0swift-6.3.1")) == .otherVersion("0.2.0", own: "0.1.0"))
    #expect(try error(MadeELF(mark: "0.1.0\0swift-6.2")) == .otherCompiler("swift-6.2", own: "swift-6.3.1"))
  }

  @Test func wordsSayWhatToDo() {
    let errors: [PluginError] = [
      .otherVersion("0.2.0", own: "0.1.0"), .otherCompiler("swift-6.2", own: "swift-6.3.1"), .lacksMark,
      .lacksLibrary("libURLLoading.so"),
    ]
    for error in errors { #expect("\(error)".contains("build it"), "\(error)") }
    #expect("\(PluginError.unreadable(number: ENOENT))" == "cannot be opened: No such file or directory")
  }
}
