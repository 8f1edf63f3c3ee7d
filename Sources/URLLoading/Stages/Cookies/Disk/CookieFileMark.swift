/// How a file of cookies and its log were last seen: it is another one after each commit, and costs two system calls that touch no disk.
struct CookieFileMark: Equatable {
  private struct Part: Equatable {
    let number: ino_t
    let size: off_t
    let seconds: Int
    let nanoseconds: Int

    init?(_ path: String) {
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      number = status.st_ino
      size = status.st_size
      seconds = status.st_mtim.tv_sec
      nanoseconds = status.st_mtim.tv_nsec
    }
  }

  private let file: Part?
  private let log: Part?

  init(path: String) {
    file = Part(path)
    log = Part(path + "-wal")
  }

  /// Whether there is a file at all.
  var isThere: Bool { file != nil }
}
