import Foundation
internal import URLLoadingBase

/// The files that are being written under hidden names, for a signal to keep as parts or to remove.
///
/// Files are made, renamed and removed under the lock: after ``end()`` there are none and none is made.
///
/// Mutable state: `state`, guarded by its lock.
final class PartialFiles: Sendable {
  static let shared = PartialFiles()

  private struct Member {
    weak var output: FileOutput?
    /// Whether nobody needs the file when the process has ended.
    var isOwned: Bool
  }

  private struct State {
    var paths: [String: Member] = [:]
    /// Files that are written in place, and not whole.
    var overwritten: Set<String> = []
    var isClosed = false
    var keepsParts = true
  }

  private let state = Locked(State())

  /// Parts are removed, not kept.
  func keepNothing() { state.withLock { $0.keepsParts = false } }

  var keepsParts: Bool { state.withLock { $0.keepsParts } }

  /// Makes a file in a directory, with a hidden name.
  func create(in directory: String, for output: FileOutput) throws(Failure) -> (descriptor: Int32, path: String) {
    try state.withLock { state throws(Failure) in
      guard !state.isClosed else { throw Failure(writing: directory, EINTR) }
      let (descriptor, path) = try Self.makeHidden(in: directory)
      state.paths[path] = Member(output: output, isOwned: true)
      return (descriptor, path)
    }
  }

  /// Makes a file that nobody else has, with a name that nobody guesses.
  static func makeHidden(in directory: String) throws(Failure) -> (descriptor: Int32, path: String) {
    let path = directory + "/.urlload-\(String(UInt64.random(in: 0 ... .max), radix: 16)).part"
    let descriptor = open(path, O_RDWR | O_CLOEXEC | O_CREAT | O_EXCL | O_NOFOLLOW, 0o666)
    guard descriptor >= 0 else { throw Failure(writing: directory, errno) }
    return (descriptor, path)
  }

  /// Has a signal remove a file.
  func register(_ path: String) throws(Failure) {
    try state.withLock { state throws(Failure) in
      guard !state.isClosed else { throw Failure(writing: path, EINTR) }
      state.paths[path] = Member(output: nil, isOwned: true)
    }
  }

  /// Records that a file of the user's is not whole any more.
  func beginOverwriting(_ path: String) { state.withLock { _ = $0.overwritten.insert(path) } }

  /// Records that it is whole.
  func endOverwriting(_ path: String) { state.withLock { _ = $0.overwritten.remove(path) } }

  /// The files that are written in place, and not whole.
  var overwritten: [String] { state.withLock { $0.overwritten.sorted() } }

  /// Opens a part file to resume it. It keeps its name, and no other process resumes it at the same time.
  func adopt(_ part: String, for output: FileOutput) throws(Failure) -> Int32 {
    try state.withLock { state throws(Failure) in
      guard !state.isClosed else { throw Failure(writing: part, EINTR) }
      let descriptor = open(part, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
      guard descriptor >= 0 else { throw Failure(writing: part, errno) }
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK else {
        close(descriptor)
        throw Failure(inUse: part)
      }
      state.paths[part] = Member(output: output, isOwned: false)
      return descriptor
    }
  }

  /// Whether a file is written by this process.
  func contains(_ path: String) -> Bool { state.withLock { $0.paths[path] != nil } }

  /// Gives a whole file its name.
  /// - Parameter replaces: whether an existing file of that name is replaced; if not, the result is false.
  func commit(_ path: String, to target: String, replaces: Bool) throws(Failure) -> Bool {
    try state.withLock { state throws(Failure) in
      guard state.paths[path] != nil else { throw Failure(writing: target, EINTR) }
      guard try Self.rename(path, to: target, replaces: replaces) else { return false }
      state.paths[path] = nil
      return true
    }
  }

  /// Renames a file.
  /// - Parameter replaces: whether an existing file of that name is replaced; if not, the result is false.
  static func rename(_ path: String, to target: String, replaces: Bool) throws(Failure) -> Bool {
    // A link, unlike a rename, fails where the name is taken.
    if !replaces, link(path, target) == 0 {
      unlink(path)
      return true
    }
    if !replaces {
      if errno == EEXIST { return false }
      // Some file systems have no links.
      guard [EPERM, EOPNOTSUPP, EMLINK].contains(errno) else { throw Failure(writing: target, errno) }
      if access(target, F_OK) == 0 { return false }
    }
    guard Glibc.rename(path, target) == 0 else { throw Failure(writing: target, errno) }
    return true
  }

  /// Removes a partial file.
  func remove(_ path: String) {
    state.withLock { state in
      if state.paths.removeValue(forKey: path) != nil { unlink(path) }
    }
  }

  /// Removes a file from the registry, not from the disk.
  func forget(_ path: String) { state.withLock { $0.paths[path] = nil } }

  /// Keeps all files as parts, or removes them, and lets none be made any more.
  func end() -> [KeptPart] {
    let outputs = state.withLock { state in
      state.isClosed = true
      return state.keepsParts ? state.paths.values.compactMap(\.output) : []
    }
    let kept = outputs.compactMap { $0.keep() }
    state.withLock { state in
      for (path, member) in state.paths where member.isOwned { unlink(path) }
      state.paths = [:]
    }
    return kept.sorted { $0.path < $1.path }
  }
}
