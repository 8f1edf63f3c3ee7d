import Foundation

/// What a crash of the machine makes of files: what was not written through to the disk is lost.
///
/// `Tests/Fixtures/KillAtWrite/synced_copies.c` keeps what was, in a folder, by the numbers of the files' inodes.
enum MachineCrash: CaseIterable {
  /// Files end where they were written through.
  case cutsFiles
  /// Files keep their lengths, which a file system may have written before the contents.
  case leavesZeros

  /// Gives all files below a folder, which nobody has open, what they have after the crash.
  func befall(_ folder: URL, copies: URL) throws {
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
      let file = folder.appending(path: name)
      var status = stat()
      guard lstat(file.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
      var contents = (try? Data(contentsOf: copies.appending(path: "\(status.st_ino)"))) ?? Data()
      let lost = Int(status.st_size) - contents.count
      if self == .leavesZeros, lost > 0 { contents.append(Data(count: lost)) }
      // The file itself: it may have another name as well.
      let handle = try FileHandle(forWritingTo: file)
      try handle.truncate(atOffset: 0)
      try handle.write(contentsOf: contents)
      try handle.close()
    }
  }
}
