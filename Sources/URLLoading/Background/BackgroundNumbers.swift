internal import URLLoadingBase

/// The next number of a background session's tasks, in a file beside the service's queue: programs number their tasks themselves, before the
/// service has answered. <doc:Architecture> says why no two tasks get the same.
package struct BackgroundNumbers: Sendable {
  /// What the service takes, and a session has room for.
  private static let range = 1..<1 << 60
  private static let folderName = "numbers"
  /// Digits in a file: a number takes the place of the last one in one piece.
  private static let width = 20

  private let state: String
  private let path: String

  /// - Parameter state: the folder of the service's state.
  package init(in state: String, session: String) {
    self.state = state
    path = "\(state)/\(Self.folderName)/\(Self.name(of: session))"
  }

  private static func name(of session: String) -> String {
    // Two sessions with one name would leave numbers out.
    String(Array(session.utf8).withUnsafeBytes { XXHash64.hash(of: $0) }, radix: 16)
  }

  /// Takes a number that no task of the session has had.
  /// - Returns: at least `floor`; nil where the file does not know.
  func take(atLeast floor: Int) -> Int? {
    guard let file = locked() else { return nil }
    guard let known = Self.read(file.descriptor.number) ?? (file.isNew ? 1 : nil) else { return nil }
    let number = max(known, floor)
    guard Self.range.contains(number), Self.write(number + 1, file.descriptor.number) else { return nil }
    return number
  }

  /// Takes it that all numbers below `next` were had.
  package func raise(to next: Int) {
    guard Self.range.contains(next), let file = locked() else { return }
    if let known = Self.read(file.descriptor.number), known >= next { return }
    _ = Self.write(next, file.descriptor.number)
  }

  // MARK: The service's part

  /// Makes the folder where there is no queue: a program that numbers a task while that is made knows that the session has had none.
  package static func prepare(in state: String) { _ = makeFolder(in: state) }

  /// Has the files of all sessions that the service knows say no less than its queue, and removes those of others that are old.
  /// - Parameter next: by the sessions' identifiers.
  package static func complete(in state: String, _ next: [String: Int]) {
    let folder = "\(state)/\(folderName)"
    if access(folder, F_OK) == 0 {
      for (session, number) in next { BackgroundNumbers(in: state, session: session).raise(to: number) }
      return removeOld(in: folder, keeping: Set(next.keys.map(name)))
    }
    // A service that was killed here has left its own. This one alone has the state.
    let names = (try? FileManager.default.contentsOfDirectory(atPath: state)) ?? []
    for name in names where name.hasPrefix("\(folderName).") {
      try? FileManager.default.removeItem(atPath: "\(state)/\(name)")
    }
    // Programs take it that a session without a file has had no task: the folder is whole from the start.
    let temporary = "\(folder).\(UInt64.random(in: 0 ... .max))"
    guard mkdir(temporary, 0o700) == 0 else { return }
    var isWhole = true
    for (session, number) in next {
      let descriptor = open("\(temporary)/\(name(of: session))", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
      defer { if descriptor >= 0 { close(descriptor) } }
      if descriptor < 0 || !write(number, descriptor) { isWhole = false }
    }
    if !isWhole || rename(temporary, folder) != 0 { try? FileManager.default.removeItem(atPath: temporary) }
  }

  /// Sessions that the service does not know are forgotten, or were never told: a program may be about to.
  private static func removeOld(in folder: String, keeping names: Set<String>) {
    let oldest = Date().addingTimeInterval(-7 * 86_400)
    for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] where !names.contains(name) {
      let path = "\(folder)/\(name)"
      let date = (try? FileManager.default.attributesOfItem(atPath: path))?[.modificationDate] as? Date
      if let date, date < oldest { unlink(path) }
    }
  }

  // MARK: The file

  private func locked() -> (descriptor: OpenDescriptor, isNew: Bool)? {
    guard Self.makeFolder(in: state) else { return nil }
    var isNew = true
    var number = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    if number < 0 {
      isNew = false
      number = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
    }
    guard number >= 0 else { return nil }
    let descriptor = OpenDescriptor(number)
    // Another process has it for a few calls. One that is stopped meanwhile keeps nobody.
    for _ in 0..<100 {
      if flock(number, LOCK_EX | LOCK_NB) == 0 { return (descriptor, isNew) }
      usleep(1000)
    }
    return nil
  }

  /// Where there is a queue and no folder, the queue is that of an older service, which has numbers that no file has.
  private static func makeFolder(in state: String) -> Bool {
    let folder = "\(state)/\(folderName)"
    if access(folder, W_OK | X_OK) == 0 { return true }
    guard access("\(state)/queue.sqlite", F_OK) != 0, errno == ENOENT else { return false }
    try? FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    return access(folder, W_OK | X_OK) == 0
  }

  private static func read(_ descriptor: Int32) -> Int? {
    var bytes = [UInt8](repeating: 0, count: width)
    guard pread(descriptor, &bytes, width, 0) == width,
      let number = Int(String(decoding: bytes, as: UTF8.self)), range.contains(number)
    else { return nil }
    return number
  }

  private static func write(_ number: Int, _ descriptor: Int32) -> Bool {
    let digits = String(number)
    let bytes = Array((String(repeating: "0", count: width - digits.count) + digits).utf8)
    return pwrite(descriptor, bytes, width, 0) == width
  }
}
