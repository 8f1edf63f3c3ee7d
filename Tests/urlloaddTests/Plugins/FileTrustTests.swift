import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoadingBase
@testable import urlloadd

/// Who may change what a path leads to.
@Suite struct FileTrustTests {
  private let folder: TemporaryDirectory
  /// The folder's path without links.
  private let root: String

  init() throws {
    folder = try TemporaryDirectory("trust")
    chmod(folder.path, 0o700)
    root = try OpenFile.resolved(folder.path)
  }

  private func make(_ name: String, mode: mode_t) throws {
    try FileManager.default.createDirectory(at: folder.file(name), withIntermediateDirectories: true)
    chmod(folder.file(name).path, mode)
  }

  /// Makes a folder that is the user's alone, with a file in it.
  private func makeFile(in name: String = "real") throws {
    try make(name, mode: 0o700)
    try folder.write("\(name)/plugin.so", "plugin")
    chmod(folder.file("\(name)/plugin.so").path, 0o600)
  }

  private func link(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(atPath: folder.file(name).path, withDestinationPath: target)
  }

  /// - Returns: why a file is refused; nil where it is not.
  private func error(_ name: String, unknownUser: UInt32? = nil) -> PluginError? {
    do throws(PluginError) {
      try FileTrust.check(OpenFile(path: "\(root)/\(name)", sizeLimit: 1 << 20), unknownUser: unknownUser)
      return nil
    } catch {
      return error
    }
  }

  @Test func aLinkToAFolderThatOthersMayReplaceIsRefused() throws {
    try makeFile()
    try make("shared", mode: 0o755)
    try link("shared/plugins", to: "../real")
    #expect(error("shared/plugins/plugin.so") == nil)
    for mode in [0o777, 0o775, 0o757] as [mode_t] {
      chmod(folder.file("shared").path, mode)
      #expect(error("shared/plugins/plugin.so") == .writableByOthers(path: "\(root)/shared"))
    }
  }

  @Test func eachLinkOfAChainIsLookedAt() throws {
    try makeFile()
    try make("mine", mode: 0o700)
    try make("shared", mode: 0o755)
    try link("mine/a.so", to: "\(root)/shared/b.so")
    try link("shared/b.so", to: "../real/plugin.so")
    #expect(error("mine/a.so") == nil)
    // No link to a file comes from a folder where others put theirs, as no file does.
    for mode in [0o777, 0o1777] as [mode_t] {
      chmod(folder.file("shared").path, mode)
      #expect(error("mine/a.so") == .writableByOthers(path: "\(root)/shared"))
    }
  }

  @Test func aFolderAboveThatOthersMayWriteIsRefused() throws {
    try makeFile(in: "open/inner/own")
    chmod(folder.file("open/inner").path, 0o755)
    for mode in [0o777, 0o775] as [mode_t] {
      chmod(folder.file("open").path, mode)
      #expect(error("open/inner/own/plugin.so") == .writableByOthers(path: "\(root)/open"))
      // Names that lead back lead through it.
      #expect(error("open/inner/../inner/own/plugin.so") == .writableByOthers(path: "\(root)/open"))
    }
    chmod(folder.file("open").path, 0o755)
    #expect(error("open/inner/../inner/./own//plugin.so") == nil)
  }

  @Test func aStickyFolderKeepsWhatIsTheUsers() throws {
    try makeFile(in: "open/own")
    chmod(folder.file("open").path, 0o1777)
    #expect(error("open/own/plugin.so") == nil)
    try link("open/link", to: "own")
    #expect(error("open/link/plugin.so") == nil)
    guard geteuid() == 0 else { return }
    lchown(folder.file("open/link").path, 65_533, 65_533)
    #expect(error("open/link/plugin.so") == .foreignOwner(65_533, of: "\(root)/open/link", isUnmapped: false))
    // A namespace that does not know the owner says nothing for it.
    #expect(
      error("open/link/plugin.so", unknownUser: 65_533)
        == .foreignOwner(65_533, of: "\(root)/open/link", isUnmapped: true))
  }

  /// Files can be given away by the superuser alone.
  @Test(.enabled(if: geteuid() == 0)) func ownersThatTheNamespaceDoesNotKnowHaveWhatIsAbove() throws {
    try makeFile(in: "home/own")
    let (home, own) = (folder.file("home").path, folder.file("home/own").path)
    chmod(home, 0o755)
    chown(home, 65_533, 65_533)
    #expect(error("home/own/plugin.so") == .foreignOwner(65_533, of: "\(root)/home", isUnmapped: false))
    #expect(error("home/own/plugin.so", unknownUser: 65_533) == nil)
    chmod(home, 0o775)
    #expect(error("home/own/plugin.so", unknownUser: 65_533) == .writableByOthers(path: "\(root)/home"))
    chmod(home, 0o755)
    chown(own, 65_533, 65_533)
    #expect(
      error("home/own/plugin.so", unknownUser: 65_533)
        == .foreignOwner(65_533, of: "\(root)/home/own", isUnmapped: true))
    chown(own, 0, 0)
    chown("\(own)/plugin.so", 65_533, 65_533)
    #expect(
      error("home/own/plugin.so", unknownUser: 65_533)
        == .foreignOwner(65_533, of: "\(root)/home/own/plugin.so", isUnmapped: true))
  }

  /// As many links are followed as the kernel follows.
  @Test func linksEnd() throws {
    try makeFile()
    try link("link-0", to: "real/plugin.so")
    for number in 1...40 { try link("link-\(number)", to: "link-\(number - 1)") }
    var names: [String] = []
    var walk = PathWalk("\(root)/link-39")
    while let step = try walk.next() { names.append((step.path as NSString).lastPathComponent) }
    #expect(names.suffix(3) == ["link-0", "real", "plugin.so"])
    #expect(throws: FileDistrust.unreadable(number: ELOOP)) {
      var walk = PathWalk("\(root)/link-40")
      while try walk.next() != nil {}
    }
    #expect(error("link-40") == .unreadable(number: ELOOP))
  }

  @Test func wordsSayWhichDirectoryAndWhatWouldBeRight() throws {
    try makeFile(in: "open/own")
    chmod(folder.file("open").path, 0o777)
    let words = try #require(error("open/own/plugin.so")).description
    #expect(words.contains("\(root)/open, ") && words.contains("chmod go-w"), "\(words)")
  }
}
