import Foundation
import Glibc
import Testing
import URLLoadingTestServers

@testable import URLLoading

@Suite struct FileSinkTests {
  private func write(_ text: String, to sink: FileSink) throws {
    let isHeld = try Data(text.utf8).withUnsafeBytes { try sink.write($0) }
    #expect(!isHeld)
  }

  private func exists(_ url: URL) -> Bool { FileManager.default.fileExists(atPath: url.path) }

  @Test func writesAFileThatOthersCannotRead() throws {
    let sink = FileSink()
    try write("hello ", to: sink)
    try write("world", to: sink)
    #expect(sink.length == 11)
    let url = try sink.finish()
    defer { unlink(url.path) }
    #expect(try Data(contentsOf: url) == Data("hello world".utf8))
    let mode = try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? NSNumber
    #expect(mode?.intValue == 0o600)
  }

  @Test func aLabelIsInTheNameOfEachFile() throws {
    let folder = try TemporaryDirectory()
    let sink = FileSink(in: folder.path, label: "17")
    try write("first", to: sink)
    sink.startOver(isStale: false)
    try write("second", to: sink)
    _ = try sink.finish()
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(names.count == 2)
    for name in names { #expect(FileSink.label(in: name) == "17", "\(name)") }
    // Such a file is reopened as any other.
    #expect(names.allSatisfy { FileSink().reopen(folder.file($0)) != nil })
    let plain = try FileSink(in: folder.path).finish().lastPathComponent
    #expect(FileSink.label(in: plain) == nil)
    for name in ["", "17-x", "URLLoadingDownload_17", "handed-17-1"] {
      #expect(FileSink.label(in: name) == nil, "\(name)")
    }
  }

  @Test func anEmptyBodyIsAnEmptyFile() throws {
    let url = try FileSink().finish()
    defer { unlink(url.path) }
    #expect(try Data(contentsOf: url).isEmpty)
  }

  @Test func progressIsToldOnce() throws {
    let sink = FileSink()
    try write("abc", to: sink)
    #expect(sink.takeProgress() == (3, 3))
    #expect(sink.takeProgress() == (0, 3))
    try write("de", to: sink)
    #expect(sink.takeProgress() == (2, 5))
    sink.discard()
  }

  @Test func discardRemoves() throws {
    let sink = FileSink()
    try write("abc", to: sink)
    let other = FileSink()
    try write("abc", to: other)
    let kept = try #require(other.keep())
    #expect(exists(kept.url))
    #expect(kept.length == 3)
    #expect(other.keep() == nil)
    other.discard()
    #expect(!exists(kept.url))
    sink.discard()
    sink.discard()
  }

  @Test func writesAfterTheEndAreDropped() throws {
    let sink = FileSink()
    try write("abc", to: sink)
    let url = try sink.finish()
    defer { unlink(url.path) }
    try write("late", to: sink)
    #expect(try Data(contentsOf: url) == Data("abc".utf8))
  }

  // MARK: Files of earlier downloads

  @Test func goesOnInAnEarlierFile() throws {
    let folder = try TemporaryDirectory()
    let file = try folder.write("URLLoadingDownload_partial", "0123456789")
    let sink = FileSink()
    #expect(sink.reopen(file) == 10)
    try sink.continueAt(4, length: 3)
    #expect(sink.missing == 3)
    try write("abc", to: sink)
    #expect(sink.missing == 0)
    #expect(sink.length == 7)
    #expect(sink.takeProgress() == (3, 7))
    let url = try sink.finish()
    #expect(try Data(contentsOf: url) == Data("0123abc".utf8))
    // Resume data names the old one, which nobody may go on with now.
    #expect(!exists(file))
  }

  @Test func moreThanTheBodyMayHaveIsNotWritten() throws {
    let folder = try TemporaryDirectory()
    let file = try folder.write("URLLoadingDownload_partial", "0123456789")
    let sink = FileSink()
    _ = sink.reopen(file)
    try sink.continueAt(4, length: 3)
    try write("ab", to: sink)
    #expect(throws: FileSink.Overrun.self) { try write("cd", to: sink) }
    let kept = try #require(sink.keep())
    #expect(kept.length == 4)
    #expect(try Data(contentsOf: file) == Data("0123".utf8))
  }

  @Test func twoDownloadsCannotShareAFile() throws {
    let folder = try TemporaryDirectory()
    let file = try folder.write("URLLoadingDownload_partial", "0123456789")
    let first = FileSink()
    #expect(first.reopen(file) == 10)
    #expect(FileSink().reopen(file) == nil)
    _ = first.keep()
    #expect(FileSink().reopen(file) == 10)
  }

  /// A child process that is being started has copies of all descriptors until it runs its program.
  @Test func aCopyOfTheDescriptorDoesNotKeepTheLock() throws {
    let folder = try TemporaryDirectory()
    let file = try folder.write("URLLoadingDownload_partial", "0123456789")
    let first = FileSink()
    #expect(first.reopen(file) == 10)
    let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { Int32($0) }
    let own = descriptors.filter { descriptor in
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")) == file.path
    }
    let copies = own.map { dup($0) }
    defer { for copy in copies { close(copy) } }
    #expect(!copies.isEmpty)
    _ = first.keep()
    #expect(FileSink().reopen(file) == 10)
  }

  @Test func refusesWhatIsNoRegularFile() throws {
    let folder = try TemporaryDirectory()
    let file = try folder.write("URLLoadingDownload_real", "x")
    let link = folder.file("URLLoadingDownload_link")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
    #expect(mkfifo(folder.file("URLLoadingDownload_pipe").path, 0o600) == 0)
    // A pipe without a reader would hold the caller for ever.
    #expect(FileSink().reopen(folder.file("URLLoadingDownload_pipe")) == nil)
    #expect(FileSink().reopen(link) == nil)
    #expect(FileSink().reopen(folder.url) == nil)
    #expect(FileSink().reopen(folder.file("URLLoadingDownload_missing")) == nil)
    #expect(FileSink().reopen(URL(fileURLWithPath: "/dev/null")) == nil)
  }

  @Test func refusesFilesThatNoDownloadMade() throws {
    let folder = try TemporaryDirectory()
    #expect(FileSink().reopen(try folder.write("precious", "0123456789")) == nil)
  }

  @Test(arguments: [false, true])
  func startingOver(isStale: Bool) throws {
    let folder = try TemporaryDirectory()
    let file = try folder.write("URLLoadingDownload_partial", "0123456789")
    let sink = FileSink()
    _ = sink.reopen(file)
    sink.startOver(isStale: isStale)
    try write("new", to: sink)
    let url = try sink.finish()
    defer { unlink(url.path) }
    #expect(url != file)
    #expect(try Data(contentsOf: url) == Data("new".utf8))
    #expect(exists(file) == !isStale)
  }

  @Test func aFailedWriteNamesTheFile() throws {
    let folder = try TemporaryDirectory()
    let file = try folder.write("URLLoadingDownload_partial", "0123456789")
    let sink = FileSink()
    _ = sink.reopen(file)
    #expect {
      try sink.continueAt(-1, length: 1)
    } throws: { error in
      guard let error = error as? URLError else { return false }
      return error.code == .cannotWriteToFile && error.localizedDescription.contains(file.path)
        && (error.userInfo[NSUnderlyingErrorKey] as? POSIXError)?.code == .EINVAL
    }
  }

  @Test func manySinksWithoutLeakedDescriptors() throws {
    let before = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    for _ in 0..<300 {
      let sink = FileSink()
      try write("abc", to: sink)
      unlink(try #require(sink.keep()).url.path)
    }
    let after = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    #expect(after < before + 150)
  }
}
