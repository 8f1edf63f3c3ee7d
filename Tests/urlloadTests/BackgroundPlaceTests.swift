import Foundation
import Testing
import URLLoadingTestServers

@testable import urlload

/// Files of background loads, as they come to their places.
@Suite struct BackgroundPlaceTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory("place") }

  private func place(_ name: String, isFolder: Bool = false) -> BackgroundPlace {
    BackgroundPlace(path: folder.file(name).path, isFolder: isFolder)
  }

  @Test func descriptionsSayThePlace() throws {
    var place = place("a b")
    (place.mode, place.keepsErrorBodies, place.keepsTime) = (0o600, true, true)
    #expect(BackgroundPlace(place.description) == place)
    #expect(BackgroundPlace("of another program") == nil && BackgroundPlace(nil) == nil)
  }

  @Test func aFileThatHasNoPlaceStays() throws {
    let file = try folder.write("file", "contents")
    try folder.write("taken/x", "")
    for name in ["none/a", "taken"] { #expect(throws: Failure.self) { try place(name).take(file, name: nil) } }
    #expect(try Urlload.names(in: folder) == ["file", "taken"])
    #expect(try String(contentsOf: file, encoding: .utf8) == "contents")
    let failed = FailedJobs(environment: ["XDG_STATE_HOME": folder.file("state").path])
    let kept = try #require(failed.keep(file, name: "../a"))
    #expect(kept.hasPrefix(folder.file("state").path) && kept.hasSuffix("/a"))
    #expect(try String(contentsOfFile: kept, encoding: .utf8) == "contents")
    failed.add(FailedJobs.Job(url: "u", failure: "f"))
    #expect(failed.all == [FailedJobs.Job(url: "u", failure: "f")])
    failed.forget()
    #expect(failed.all.isEmpty)
  }

  @Test func devicesAndPipesAreNotReplaced() throws {
    let file = try folder.write("file", "contents")
    #expect(mkfifo(folder.file("pipe").path, 0o600) == 0)
    #expect(throws: Failure.self) { try place("pipe").take(file, name: nil) }
    #expect(FileTarget.isSpecial(folder.file("pipe").path) && !FileTarget.isSpecial(file.path))
    #expect(try String(contentsOf: file, encoding: .utf8) == "contents")
    #expect(BackgroundPlace(path: "/dev/null", isFolder: false).isNowhere)
    #expect(!BackgroundPlace(path: "/dev/zero", isFolder: false).isNowhere && !place("file").isNowhere)
  }

  @Test func namesThatAreTakenGetANumber() throws {
    for number in 0..<3 {
      let path = try place("", isFolder: true).take(folder.write("file", "\(number)"), name: "a.txt")
      #expect(path.hasSuffix(number == 0 ? "/a.txt" : "/a.txt.\(number)"))
      #expect(try String(contentsOfFile: path, encoding: .utf8) == "\(number)")
    }
  }

  /// Of another file system: the file is copied, and nothing of the user's is in the way.
  @Test(.enabled(if: access("/dev/shm", W_OK) == 0), arguments: [false, true]) func aFileOfAnotherDiskIsCopied(
    isLink: Bool
  ) throws {
    let other = try TemporaryDirectory("place", in: "/dev/shm")
    let file = try other.write("file", "contents")
    try folder.write("a.part", "mine")
    try folder.write("target", "old")
    chmod(folder.file("target").path, 0o600)
    try FileManager.default.createSymbolicLink(
      atPath: folder.file("link").path, withDestinationPath: folder.file("target").path)
    _ = try place(isLink ? "link" : "a").take(file, name: nil)
    #expect(try String(contentsOf: folder.file(isLink ? "target" : "a"), encoding: .utf8) == "contents")
    #expect(try String(contentsOf: folder.file("a.part"), encoding: .utf8) == "mine")
    #expect(try Urlload.names(in: folder) == (isLink ? [] : ["a"]) + ["a.part", "link", "target"])
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.file("target").path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }
}
