import Foundation
internal import URLLoadingBase

/// The files that are being written under hidden names, so that a signal can remove them.
///
/// A file is made, renamed and removed under the lock: after ``removeAll()`` there is none and none comes.
///
/// Mutable state: `state`, guarded by its lock.
final class PartialFiles: Sendable {
  /// Those of this process.
  static let shared = PartialFiles()

  private struct State {
    var paths: Set<String> = []
    var isClosed = false
  }

  private let state = Locked(State())

  /// Makes a file in a directory, with a hidden name.
  func create(in directory: String) throws(Failure) -> (descriptor: Int32, path: String) {
    let made = state.withLock { state -> (Int32, String, Int32) in
      guard !state.isClosed else { return (-1, directory, EINTR) }
      for _ in 0..<100 {
        let path = directory + "/.urlload-\(String(UInt64.random(in: 0 ... .max), radix: 16)).part"
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        if descriptor >= 0 {
          state.paths.insert(path)
          return (descriptor, path, 0)
        }
        if errno != EEXIST { return (-1, directory, errno) }
      }
      return (-1, directory, EEXIST)
    }
    guard made.0 >= 0 else { throw Failure(writing: directory, made.2) }
    return (made.0, made.1)
  }

  /// Gives a whole file its name.
  /// - Parameter replaces: whether a file that has the name goes; if not, it stays and the answer is false.
  func commit(_ path: String, to target: String, replaces: Bool) throws(Failure) -> Bool {
    let code = state.withLock { state -> Int32 in
      guard state.paths.contains(path) else { return EINTR }
      if !replaces {
        // A link, unlike a rename, fails where the name is taken.
        if link(path, target) == 0 {
          unlink(path)
          state.paths.remove(path)
          return 0
        }
        // Some file systems have no links.
        guard errno == EPERM || errno == EOPNOTSUPP || errno == EMLINK else { return errno }
        if access(target, F_OK) == 0 { return EEXIST }
      }
      guard rename(path, target) == 0 else { return errno }
      state.paths.remove(path)
      return 0
    }
    if code == EEXIST, !replaces { return false }
    guard code == 0 else { throw Failure(writing: target, code) }
    return true
  }

  /// Removes a file that did not become whole.
  func remove(_ path: String) {
    state.withLock { state in
      if state.paths.remove(path) != nil { unlink(path) }
    }
  }

  /// Removes all, for good.
  func removeAll() {
    state.withLock { state in
      for path in state.paths { unlink(path) }
      state.paths = []
      state.isClosed = true
    }
  }
}
