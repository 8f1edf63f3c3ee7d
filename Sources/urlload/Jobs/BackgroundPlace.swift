import Foundation

/// Where the file of a background load goes, and what else is to be known when it is there, as its task's description says it.
struct BackgroundPlace: Codable, Equatable, CustomStringConvertible {
  /// Absolute; empty for nowhere.
  let path: String
  /// The name is the server's or the URL's.
  let isFolder: Bool
  /// The permissions of a file that was not there before.
  var mode: UInt32 = 0o644
  /// The body of a status of 400 or above is kept as well.
  var keepsErrorBodies = false
  /// The file gets the time of the resource's last change.
  var keepsTime = false

  init(path: String, isFolder: Bool) {
    self.path = path
    self.isFolder = isFolder
  }

  /// - Parameter text: a description; nil for one of another program.
  init?(_ text: String?) {
    guard let text, let place = try? JSONDecoder().decode(Self.self, from: Data(text.utf8)) else { return nil }
    self = place
  }

  var description: String { (try? JSONEncoder().encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "" }

  /// Whether the body is dropped.
  var isNowhere: Bool { path.isEmpty || !isFolder && FileTarget.isNull(path) }

  /// Moves a file there, over another one where it was named by the user.
  /// - Returns: its path.
  func take(_ file: URL, name: String?) throws(Failure) -> String {
    guard isFolder || !FileTarget.isSpecial(path) else { throw Failure(irregular: path) }
    let target = isFolder ? nil : try FileTarget(path)
    let folder = target?.directory ?? path
    let (descriptor, hidden) = try PartialFiles.makeHidden(in: folder)
    defer { close(descriptor) }
    // It replaces the file that was made for it.
    let isMoved = rename(file.path, hidden) == 0
    defer { PartialFiles.shared.forget(hidden) }
    do throws(Failure) {
      if !isMoved {
        // A signal removes the copy; a file that was moved is the only one.
        try PartialFiles.shared.register(hidden)
        try Self.copy(file.path, to: descriptor, hidden)
      }
      chmod(hidden, target?.mode ?? mode_t(mode))
      for candidate in isFolder
        ? Array(FileNames.candidates(for: FileNames.safe(name)).prefix(1000)) : [target?.name ?? ""]
      {
        let path = FileNames.path(of: candidate, in: folder)
        if try PartialFiles.rename(hidden, to: path, replaces: !isFolder) { return path }
      }
      throw Failure(writing: folder, EEXIST)
    } catch {
      if isMoved { rename(hidden, file.path) } else { unlink(hidden) }
      throw error
    }
  }

  /// Copies a file of another disk.
  private static func copy(_ source: String, to target: Int32, _ path: String) throws(Failure) {
    let descriptor = open(source, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Failure(reading: source, errno) }
    defer { close(descriptor) }
    try DescriptorWriter.copy(from: descriptor, source, to: target, path)
    guard fsync(target) == 0 else { throw Failure(writing: path, errno) }
  }
}

extension Failure {
  /// A target that no file of the background can replace.
  init(irregular path: String) {
    self.init(
      .usage, "--background replaces no device and no pipe", path,
      advice: "name a regular file with -o, or load in the foreground")
  }
}
