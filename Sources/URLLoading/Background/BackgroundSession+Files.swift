internal import URLLoadingBase
internal import URLLoadingCLinux

/// Files to upload are copied before the service has said where it looks for them.
extension BackgroundSession {
  /// Moves a file that was copied before the service has said where it looks for it. Not under the lock: that may take long.
  /// - Returns: the file's folder by then.
  func settledFolder(of body: String?, in folder: String?) -> String? {
    guard let body, let folder, let files = state.withLock({ $0.files }) else { return folder }
    Self.move(body, from: folder, to: files)
    return files
  }

  /// Has a file where the service looks for it, now or when that is known.
  static func place(_ body: String, in folder: String, _ state: inout BackgroundSessionState) {
    guard let files = state.files else { return state.misplacedFiles[body] = folder }
    // The service has said so a moment ago.
    move(body, from: folder, to: files)
  }

  private static func move(_ body: String, from folder: String, to files: String) {
    let (old, new) = ("\(folder)/\(body)", "\(files)/\(body)")
    guard folder != files, rename(old, new) != 0 else { return }
    let source = OpenDescriptor(open(old, O_RDONLY | O_CLOEXEC))
    let target = OpenDescriptor(open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600))
    // One that is not there is refused by the service, with words.
    guard source.number >= 0, target.number >= 0 else { return }
    let reserve = BackgroundFreeSpace.read(beside: files)
    if copy_contents_leaving(source.number, target.number, reserve) != 0 || fsync(target.number) != 0 { unlink(new) }
    unlink(old)
  }

  /// The service has said where its files are. Calls of the program do not wait for those that are copied there: tasks that are made
  /// meanwhile are among the next ones.
  func welcomed(_ files: String) {
    while true {
      let misplaced = state.withLock { state -> [String: String] in
        if state.misplacedFiles.isEmpty { state.files = files }
        return exchange(&state.misplacedFiles, with: [:])
      }
      if misplaced.isEmpty { return }
      for (body, folder) in misplaced { Self.move(body, from: folder, to: files) }
    }
  }
}
