import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

/// What requests do to files beside loading and storing them: `DELETE`, `MKCOL`, `MOVE` and `COPY`.
@Suite(.timeLimit(.minutes(4))) struct FileChangeTests {
  private let folder: TemporaryDirectory
  private let session = URLSession(configuration: .ephemeral)

  init() throws {
    folder = try TemporaryDirectory("changes")
  }

  private func names(in name: String = "") throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.file(name).path).sorted()
  }

  private func text(_ name: String) throws -> String { try String(contentsOf: folder.file(name), encoding: .utf8) }

  private func directory(_ name: String) throws {
    try FileManager.default.createDirectory(at: folder.file(name), withIntermediateDirectories: true)
  }

  /// - Parameter fields: of the request.
  private func carryOut(
    _ method: String, _ name: String, to target: String? = nil, fields: [String: String] = [:]
  ) async throws {
    var request = URLRequest(url: folder.file(name))
    request.httpMethod = method
    // Without a slash at its end, also that of a directory.
    let place = target.map { URL(fileURLWithPath: "\(folder.path)/\($0)", isDirectory: false) }
    if let place { request.setValue(place.absoluteString, forHTTPHeaderField: "Destination") }
    for (field, value) in fields { request.setValue(value, forHTTPHeaderField: field) }
    let (body, response) = try await session.data(for: request)
    #expect(body.isEmpty && response.expectedContentLength == 0)
  }

  /// - Parameter words: of the error's message.
  private func expectFailure(
    _ code: URLError.Code, _ reason: POSIXErrorCode?, _ method: String, _ name: String, to target: String? = nil,
    fields: [String: String] = [:], at location: SourceLocation = #_sourceLocation
  ) async {
    let error = await #expect(throws: URLError.self, sourceLocation: location) {
      try await carryOut(method, name, to: target, fields: fields)
    }
    #expect(error?.code == code && error?.failingURL != nil, "\(String(describing: error))", sourceLocation: location)
    let underlying = error?.errorUserInfo[NSUnderlyingErrorKey] as? POSIXError
    #expect(underlying?.code == reason, "\(String(describing: error))", sourceLocation: location)
  }

  // MARK: Removing

  @Test func filesLinksAndEmptyDirectoriesAreRemoved() async throws {
    try folder.write("file", "a")
    try folder.write("target", "b")
    try directory("empty")
    symlink("target", folder.file("link").path)
    symlink("empty", folder.file("link-to-directory").path)
    for name in ["file", "link", "link-to-directory", "empty"] { try await carryOut("DELETE", name) }
    #expect(try names() == ["target"] && text("target") == "b")
  }

  @Test func whatCannotBeRemovedStays() async throws {
    try folder.write("directory/inside", "a")
    await expectFailure(.cannotRemoveFile, .ENOTEMPTY, "DELETE", "directory")
    await expectFailure(.fileDoesNotExist, .ENOENT, "DELETE", "nothing")
    await expectFailure(.cannotRemoveFile, .ENOTDIR, "DELETE", "directory/inside/below")
    await expectFailure(.unsupportedURL, nil, "DELETE", "directory/inside", fields: ["If-Match": "\"a\""])
    #expect(try text("directory/inside") == "a")
  }

  @Test(.enabled(if: geteuid() != 0)) func aDirectoryThatMayNotBeWrittenKeepsItsFiles() async throws {
    try folder.write("directory/inside", "a")
    chmod(folder.file("directory").path, 0o500)
    await expectFailure(.cannotRemoveFile, .EACCES, "DELETE", "directory/inside")
    chmod(folder.file("directory").path, 0o700)
    #expect(try text("directory/inside") == "a")
  }

  // MARK: Making

  @Test func aDirectoryIsMade() async throws {
    try await carryOut("MKCOL", "new")
    try await carryOut("MKCOL", "new/inside")
    #expect(try names() == ["new"] && names(in: "new") == ["inside"])
    await expectFailure(.cannotCreateFile, .EEXIST, "MKCOL", "new")
    await expectFailure(.fileDoesNotExist, .ENOENT, "MKCOL", "none/inside")
    try folder.write("file", "a")
    await expectFailure(.cannotCreateFile, .EEXIST, "MKCOL", "file")
  }

  // MARK: Moving

  @Test func whatIsMovedHasItsNewNameAlone() async throws {
    try folder.write("file", "a")
    try folder.write("directory/inside", "b")
    symlink("nowhere", folder.file("link").path)
    for name in ["file", "directory", "link"] {
      try await carryOut("MOVE", name, to: "new \(name)", fields: ["Overwrite": "F"])
    }
    #expect(try names() == ["new directory", "new file", "new link"])
    #expect(try text("new file") == "a" && text("new directory/inside") == "b")
    var buffer = [CChar](repeating: 0, count: 20)
    #expect(readlink(folder.file("new link").path, &buffer, buffer.count) == 7)
  }

  @Test func aTargetIsReplacedWhereThatIsWanted() async throws {
    try folder.write("file", "new")
    try folder.write("old", "old")
    await expectFailure(.cannotMoveFile, .EEXIST, "MOVE", "file", to: "old", fields: ["Overwrite": "F"])
    await expectFailure(.cannotMoveFile, .EEXIST, "MOVE", "file", to: "old", fields: ["If-None-Match": "*"])
    #expect(try text("old") == "old" && text("file") == "new")
    try await carryOut("MOVE", "file", to: "old", fields: ["Overwrite": "T"])
    #expect(try names() == ["old"] && text("old") == "new")
    try folder.write("file", "newer")
    // RFC 4918, section 10.6: as with T.
    try await carryOut("MOVE", "file", to: "old")
    #expect(try names() == ["old"] && text("old") == "newer")
  }

  @Test func filesAndDirectoriesDoNotReplaceEachOther() async throws {
    try folder.write("file", "a")
    try folder.write("directory/inside", "b")
    await expectFailure(.cannotMoveFile, .EISDIR, "MOVE", "file", to: "directory")
    await expectFailure(.cannotMoveFile, .ENOTDIR, "MOVE", "directory", to: "file")
    await expectFailure(.cannotMoveFile, .EINVAL, "MOVE", "directory", to: "directory/below")
    await expectFailure(
      .cannotMoveFile, .EINVAL, "MOVE", "directory", to: "directory/below", fields: ["Overwrite": "F"])
    await expectFailure(.fileDoesNotExist, .ENOENT, "MOVE", "nothing", to: "new")
    link(folder.file("file").path, folder.file("same").path)
    for target in ["file", "same"] { await expectFailure(.cannotMoveFile, .ELOOP, "MOVE", "file", to: target) }
    await expectFailure(.fileDoesNotExist, .ENOENT, "MOVE", "file", to: "none/new")
    #expect(try text("file") == "a" && text("directory/inside") == "b")
  }

  @Test(.enabled("there is no second file system at /dev/shm") { Self.hasOtherDisk })
  func toAnotherFileSystemNothingIsMoved() async throws {
    let other = try TemporaryDirectory("changes", in: "/dev/shm")
    try folder.write("file", "a")
    for overwrites in ["T", "F"] {
      let fields = ["Destination": other.file("file").absoluteString, "Overwrite": overwrites]
      await expectFailure(.cannotMoveFile, .EXDEV, "MOVE", "file", fields: fields)
    }
    try await carryOut("COPY", "file", fields: ["Destination": other.file("copy").absoluteString])
    #expect(try names() == ["file"] && FileManager.default.contentsOfDirectory(atPath: other.path) == ["copy"])
  }

  private static var hasOtherDisk: Bool {
    var (own, other) = (stat(), stat())
    return stat(FileManager.default.temporaryDirectory.path, &own) == 0 && stat("/dev/shm", &other) == 0
      && own.st_dev != other.st_dev && access("/dev/shm", W_OK) == 0
  }

  // MARK: Copying

  @Test func aCopyIsWholeAndHasTimesAndPermissions() async throws {
    let body = TestFiles.pattern(count: 20_000_001)
    try folder.write("file", body)
    chmod(folder.file("file").path, 0o640)
    var times = [timespec(tv_sec: 1_000_000_000, tv_nsec: 5), timespec(tv_sec: 1_100_000_000, tv_nsec: 7)]
    utimensat(AT_FDCWD, folder.file("file").path, &times, 0)
    symlink("file", folder.file("link").path)
    try await carryOut("COPY", "file", to: "copy")
    try await carryOut("COPY", "link", to: "copy of link", fields: ["Overwrite": "F"])
    #expect(try names() == ["copy", "copy of link", "file", "link"])
    for name in ["copy", "copy of link"] {
      #expect(try difference(Data(contentsOf: folder.file(name)), from: body) == nil)
      var status = stat()
      #expect(lstat(folder.file(name).path, &status) == 0 && status.st_mode == S_IFREG | 0o640)
      #expect(status.st_mtim.tv_sec == 1_100_000_000 && status.st_mtim.tv_nsec == 7)
    }
  }

  @Test func aFileWhoseSizeSaysNothingIsCopied() async throws {
    var request = URLRequest(url: URL(fileURLWithPath: "/proc/version"))
    request.httpMethod = "COPY"
    request.setValue(folder.file("version").absoluteString, forHTTPHeaderField: "Destination")
    _ = try await session.data(for: request)
    #expect(try text("version") == String(contentsOfFile: "/proc/version", encoding: .utf8))
  }

  @Test func aCancelledCopyIsWholeOrNotThere() async throws {
    let count = 40_000_001
    try folder.write("file", TestFiles.pattern(count: count))
    var request = URLRequest(url: folder.file("file"))
    request.httpMethod = "COPY"
    request.setValue(folder.file("copy").absoluteString, forHTTPHeaderField: "Destination")
    for step in 0..<12 {
      let task = Task { [request, session] in try await session.data(for: request) }
      // At its beginning, or when there is a temporary file.
      while try step > 3 && names().count == 1 { await Task.yield() }
      task.cancel()
      let isWhole = (try? await task.value) != nil
      #expect(try await eventually { try names().allSatisfy { ["copy", "file"].contains($0) } })
      let copy = try? FileManager.default.attributesOfItem(atPath: folder.file("copy").path)[.size] as? Int
      #expect(copy == count || copy == nil && !isWhole)
      unlink(folder.file("copy").path)
    }
  }

  @Test func aThousandCopiesAtOnce() async throws {
    try folder.write("file", "contents")
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<1000 { group.addTask { try await carryOut("COPY", "file", to: "copy \(number)") } }
      try await group.waitForAll()
    }
    #expect(try names().count == 1001 && text("copy 999") == "contents")
  }

  @Test func whatCannotBeCopiedLeavesNothing() async throws {
    try folder.write("file", "a")
    try folder.write("old", "old")
    try folder.write("directory/inside", "b")
    link(folder.file("file").path, folder.file("same").path)
    await expectFailure(.cannotCreateFile, .EEXIST, "COPY", "file", to: "old", fields: ["Overwrite": "F"])
    await expectFailure(.cannotCreateFile, .ELOOP, "COPY", "file", to: "file")
    await expectFailure(.cannotCreateFile, .ELOOP, "COPY", "file", to: "same")
    await expectFailure(.fileIsDirectory, .EISDIR, "COPY", "directory", to: "new")
    await expectFailure(.cannotCreateFile, .EISDIR, "COPY", "file", to: "directory")
    await expectFailure(.fileDoesNotExist, .ENOENT, "COPY", "file", to: "none/new")
    await expectFailure(.fileDoesNotExist, .ENOENT, "COPY", "nothing", to: "new")
    #expect(try names() == ["directory", "file", "old", "same"] && text("old") == "old" && text("file") == "a")
    try await carryOut("COPY", "file", to: "old")
    #expect(try text("old") == "a")
  }

  @Test func aTargetIsAFileOfThisMachine() async throws {
    try folder.write("file", "a")
    for method in ["MOVE", "COPY"] {
      await expectFailure(.badURL, nil, method, "file")
      for target in ["http://127.0.0.1/x", "x", "/x", "file://elsewhere/x"] {
        let error = await #expect(throws: URLError.self) {
          try await carryOut(method, "file", fields: ["Destination": target])
        }
        #expect([.badURL, .fileDoesNotExist].contains(error?.code), "\(target)")
      }
    }
    #expect(try names() == ["file"])
  }

  @Test func whatIsNotNamedInFullIsNotTouched() async throws {
    try folder.write("a", "a")
    try folder.write("b", "b")
    let queried = try #require(URL(string: folder.file("a").absoluteString + "?1.txt"))
    for method in ["DELETE", "MKCOL", "MOVE", "COPY"] {
      var request = URLRequest(url: queried)
      request.httpMethod = method
      request.setValue(folder.file("b").absoluteString, forHTTPHeaderField: "Destination")
      let error = await #expect(throws: URLError.self) { try await session.data(for: request) }
      #expect(error?.code == .badURL)
    }
    await expectFailure(.badURL, nil, "MOVE", "a", fields: ["Destination": folder.file("b").absoluteString + "?x"])
    for value in ["f", " F"] {
      await expectFailure(.cannotMoveFile, .EEXIST, "MOVE", "a", to: "b", fields: ["Overwrite": value])
    }
    await expectFailure(.unsupportedURL, nil, "MOVE", "a", to: "b", fields: ["Overwrite": "no"])
    #expect(try text("a") == "a" && text("b") == "b" && names() == ["a", "b"])
  }

  // MARK: Storing

  @Test func anUploadMayBeOfANewFileAlone() async throws {
    var request = URLRequest(url: folder.file("file"))
    request.setValue("*", forHTTPHeaderField: "If-None-Match")
    _ = try await session.upload(for: request, from: Data("a".utf8))
    let error = await #expect(throws: URLError.self) { try await session.upload(for: request, from: Data("b".utf8)) }
    #expect(error?.code == .cannotWriteToFile)
    request.setValue("\"x\"", forHTTPHeaderField: "If-None-Match")
    let other = await #expect(throws: URLError.self) { try await session.upload(for: request, from: Data("b".utf8)) }
    #expect(other?.code == .unsupportedURL)
    #expect(try names() == ["file"] && text("file") == "a")
  }

  /// Of many that store one new file, one does.
  @Test func oneOfManyStoresANewFile() async throws {
    var request = URLRequest(url: folder.file("file"))
    request.setValue("*", forHTTPHeaderField: "If-None-Match")
    let stored = await withTaskGroup(of: Bool.self) { [request, session] group in
      for number in 0..<64 {
        group.addTask { (try? await session.upload(for: request, from: Data("\(number)".utf8))) != nil }
      }
      return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    #expect(try stored == 1 && names() == ["file"])
  }
}
