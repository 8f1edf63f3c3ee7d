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
  }

  private struct State {
    var paths: [String: Member] = [:]
    var isClosed = false
    var keepsParts = true
  }

  private let state = Locked(State())

  /// Parts are removed, not kept.
  func keepNothing() { state.withLock { $0.keepsParts = false } }

  var keepsParts: Bool { state.withLock { $0.keepsParts } }

  /// Makes a file in a directory, with a hidden name.
  /// - Parameter part: a part file that becomes this file.
  func create(in directory: String, for output: FileOutput, from part: String? = nil) throws(Failure) -> (
    descriptor: Int32, path: String
  ) {
    try state.withLock { state throws(Failure) in
      guard !state.isClosed else { throw Failure(writing: directory, EINTR) }
      let path = directory + "/.urlload-\(String(UInt64.random(in: 0 ... .max), radix: 16)).part"
      if let part { guard rename(part, path) == 0 else { throw Failure(writing: part, errno) } }
      let descriptor = open(path, O_RDWR | O_CLOEXEC | (part == nil ? O_CREAT | O_EXCL : 0), 0o666)
      guard descriptor >= 0 else { throw Failure(writing: directory, errno) }
      state.paths[path] = Member(output: output)
      return (descriptor, path)
    }
  }

  /// Gives a whole file its name.
  /// - Parameter replaces: whether an existing file of that name is replaced; if not, the result is false.
  func commit(_ path: String, to target: String, replaces: Bool) throws(Failure) -> Bool {
    try state.withLock { state throws(Failure) in
      guard state.paths[path] != nil else { throw Failure(writing: target, EINTR) }
      // A link, unlike a rename, fails where the name is taken.
      if !replaces, link(path, target) == 0 {
        unlink(path)
      } else {
        if !replaces {
          if errno == EEXIST { return false }
          // Some file systems have no links.
          guard [EPERM, EOPNOTSUPP, EMLINK].contains(errno) else { throw Failure(writing: target, errno) }
          if access(target, F_OK) == 0 { return false }
        }
        guard rename(path, target) == 0 else { throw Failure(writing: target, errno) }
      }
      state.paths[path] = nil
      return true
    }
  }

  /// Removes a partial file.
  func remove(_ path: String) {
    state.withLock { state in
      if state.paths.removeValue(forKey: path) != nil { unlink(path) }
    }
  }

  /// Keeps all files as parts, or removes them, and lets none be made any more.
  func end() -> [KeptPart] {
    let outputs = state.withLock { state in
      state.isClosed = true
      return state.keepsParts ? state.paths.values.compactMap(\.output) : []
    }
    let kept = outputs.compactMap { $0.keep() }
    state.withLock { state in
      for path in state.paths.keys { unlink(path) }
      state.paths = [:]
    }
    return kept.sorted { $0.path < $1.path }
  }
}
