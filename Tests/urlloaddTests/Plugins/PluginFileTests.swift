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
  private func flaw(_ made: MadeELF = MadeELF(), mode: mode_t = 0o600) throws -> PluginFlaw? {
    let file = try folder.write("plugin.so", Data(made.bytes))
    chmod(file.path, mode)
    return flaw(of: file.path)
  }

  private func flaw(of path: String) -> PluginFlaw? {
    do throws(PluginFlaw) {
      _ = try PluginFile(path: path, library: Self.library)
      return nil
    } catch {
      return error
    }
  }

  @Test func aGoodOneIsTaken() throws {
    #expect(try flaw() == nil)
    #expect(try flaw(mode: 0o755) == nil)
    // A link is followed once, and the file is what counts.
    let link = folder.file("link.so")
    try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: "plugin.so")
    #expect(flaw(of: link.path) == nil)
  }

  @Test func whatOthersMayWriteIsRefused() throws {
    let path = try #require(
      realpath(folder.path, nil).map { pointer in
        defer { free(pointer) }
        return String(cString: pointer)
      })
    #expect(try flaw(mode: 0o620) == .writableByOthers(path: "\(path)/plugin.so"))
    #expect(try flaw(mode: 0o602) == .writableByOthers(path: "\(path)/plugin.so"))
    chmod(folder.path, 0o770)
    #expect(try flaw() == .writableByOthers(path: path))
    chmod(folder.path, 0o1777)
    #expect(try flaw() == .writableByOthers(path: path))
  }

  /// Whoever may replace a link decides what is loaded.
  @Test func aLinkThatOthersMayReplaceIsRefused() throws {
    _ = try flaw()
    let links = folder.file("links")
    try FileManager.default.createDirectory(at: links, withIntermediateDirectories: true)
    let link = links.appending(path: "link.so").path
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "../plugin.so")
    chmod(links.path, 0o700)
    #expect(flaw(of: link) == nil)
    chmod(links.path, 0o770)
    let path = try OpenFile.resolved(links.path)
    #expect(flaw(of: link) == .writableByOthers(path: path))
  }

  /// Files can be given away by the superuser alone.
  @Test(.enabled(if: geteuid() == 0)) func whatOthersOwnIsRefused() throws {
    _ = try flaw()
    let file = folder.file("plugin.so").path
    chown(file, 65_533, 65_533)
    guard case .foreignOwner(65_533, _, _) = flaw(of: file) else {
      Issue.record("the file of another user: \(String(describing: flaw(of: file)))")
      return
    }
    chown(file, 0, 0)
    chown(folder.path, 65_533, 65_533)
    guard case .foreignOwner(65_533, _, _) = flaw(of: file) else {
      Issue.record("the folder of another user: \(String(describing: flaw(of: file)))")
      return
    }
    chown(folder.path, 0, 0)
  }

  @Test func whatIsNoFileIsRefused() throws {
    #expect(flaw(of: folder.path) == .notRegular)
    #expect(flaw(of: folder.file("nothing").path) == .unreadable(number: ENOENT))
    // Nobody waits for a writer.
    let pipe = folder.file("pipe").path
    #expect(mkfifo(pipe, 0o600) == 0)
    #expect(flaw(of: pipe) == .notRegular)
    try folder.write("text.so", "no plugin")
    chmod(folder.file("text.so").path, 0o600)
    #expect(flaw(of: folder.file("text.so").path) == .notShared)
  }

  @Test func hugeFilesAreRefused() throws {
    let file = try folder.write("huge.so", "x")
    chmod(file.path, 0o600)
    #expect(truncate(file.path, off_t(PluginFile.sizeLimit + 1)) == 0)
    #expect(flaw(of: file.path) == .tooLarge(limit: PluginFile.sizeLimit))
  }

  @Test func otherLibrariesAreRefused() throws {
    #expect(try flaw(MadeELF(machine: 183)) == .notShared)
    #expect(try flaw(MadeELF(needed: ["libswiftCore.so"])) == .lacksLibrary("libURLLoading.so"))
    #expect(try flaw(MadeELF(needed: ["libURLLoading.so"])) == .lacksLibrary("libswiftCore.so"))
    #expect(try flaw(MadeELF(needed: [])) == .lacksLibrary("libURLLoading.so"))
    #expect(try flaw(MadeELF(mark: nil)) == .lacksMark)
    #expect(try flaw(MadeELF(mark: "0.2.0\0swift-6.3.1")) == .otherVersion("0.2.0", own: "0.1.0"))
    #expect(try flaw(MadeELF(mark: "0.1.0\0swift-6.2")) == .otherCompiler("swift-6.2", own: "swift-6.3.1"))
  }

  @Test func wordsSayWhatToDo() {
    let flaws: [PluginFlaw] = [
      .otherVersion("0.2.0", own: "0.1.0"), .otherCompiler("swift-6.2", own: "swift-6.3.1"), .lacksMark,
      .lacksLibrary("libURLLoading.so"),
    ]
    for flaw in flaws { #expect("\(flaw)".contains("build it"), "\(flaw)") }
    #expect("\(PluginFlaw.unreadable(number: ENOENT))" == "cannot be opened: No such file or directory")
  }
}
