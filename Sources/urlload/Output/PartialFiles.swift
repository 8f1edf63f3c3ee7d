import Foundation
internal import URLLoadingBase

/// The files that are being written under hidden names, for a signal to remove.
///
/// Files are made, renamed and removed under the lock: after ``removeAll()`` there are none and none is made.
///
/// Mutable state: `state`, guarded by its lock.
final class PartialFiles: Sendable {
  static let shared = PartialFiles()

  private struct State {
    var paths: Set<String> = []
    var isClosed = false
  }

  private let state = Locked(State())

  /// Makes a file in a directory, with a hidden name.
  func create(in directory: String) throws(Failure) -> (descriptor: Int32, path: String) {
    try state.withLock { state throws(Failure) in
      guard !state.isClosed else { throw Failure(writing: directory, EINTR) }
      let path = directory + "/.urlload-\(String(UInt64.random(in: 0 ... .max), radix: 16)).part"
      let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
      guard descriptor >= 0 else { throw Failure(writing: directory, errno) }
      state.paths.insert(path)
      return (descriptor, path)
    }
  }

  /// Gives a whole file its name.
  /// - Parameter replaces: whether an existing file of that name is replaced; if not, the result is false.
  func commit(_ path: String, to target: String, replaces: Bool) throws(Failure) -> Bool {
    try state.withLock { state throws(Failure) in
      guard state.paths.contains(path) else { throw Failure(writing: target, EINTR) }
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
      state.paths.remove(path)
      return true
    }
  }

  /// Removes a partial file.
  func remove(_ path: String) {
    state.withLock { state in
      if state.paths.remove(path) != nil { unlink(path) }
    }
  }

  /// Removes all files, and lets none be made any more.
  func removeAll() {
    state.withLock { state in
      for path in state.paths { unlink(path) }
      state.paths = []
      state.isClosed = true
    }
  }
}
