internal import URLLoadingBase

/// Where the transfer service of a user is: its socket, its state, its program.
package struct BackgroundServicePlace: Sendable {
  private static let program = HelperProgram(name: "urlloadd", variable: "URLLOADD")
  /// The name of the socket in ``runtimeDirectory``.
  package static let socketName = "urlloadd.socket"

  /// The folder of the socket, which is the user's alone.
  package let runtimeDirectory: String
  /// The folder of the queue; nil where there is neither `XDG_STATE_HOME` nor a home.
  package let stateDirectory: String?
  let findProgram: @Sendable () -> String?

  /// The path of the socket, for people: connecting by it has a limit.
  package var socketPath: String { "\(runtimeDirectory)/\(Self.socketName)" }

  /// Where a service with this state has the files of its tasks; nil without a state.
  var filesDirectory: String? { stateDirectory.map { "\($0)/files" } }

  /// The service that has the lock on the state, whether it can be reached or not; nil for none.
  package var serviceProcess: Int32? {
    guard let stateDirectory else { return nil }
    let descriptor = open("\(stateDirectory)/lock", O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    // A service that begins tries again in a moment.
    guard flock(descriptor, LOCK_SH | LOCK_NB) != 0, errno == EWOULDBLOCK else { return nil }
    var bytes = [UInt8](repeating: 0, count: 20)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    return Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
  }

  /// That of this process's user.
  package static var current: BackgroundServicePlace {
    BackgroundServicePlace(
      environment: ProcessInfo.processInfo.environment, user: geteuid(),
      temporaryDirectory: FileManager.default.temporaryDirectory.path, findProgram: { program.find() })
  }

  package init(
    environment: [String: String], user: UInt32, temporaryDirectory: String,
    findProgram: @escaping @Sendable () -> String? = { nil }
  ) {
    // The XDG Base Directory Specification has relative paths ignored.
    if let path = environment["XDG_RUNTIME_DIR"], path.hasPrefix("/") {
      runtimeDirectory = "\(path)/url-loading"
    } else {
      runtimeDirectory = "\(temporaryDirectory)/url-loading-\(user)"
    }
    stateDirectory = ProgramDirectories(environment: environment, program: "urlloadd").own(.state)
    self.findProgram = findProgram
  }

  /// Makes the folder of the socket.
  /// - Throws: where somebody else might put something there.
  package func prepareRuntimeDirectory() throws(BackgroundServiceError) {
    // Of the folder that the variable names nothing is made.
    if mkdir(runtimeDirectory, 0o700) != 0, errno != EEXIST {
      throw .unusableDirectory(runtimeDirectory, reason: String(cString: strerror(errno)))
    }
    try checkRuntimeDirectory()
  }

  /// Whether the folder is the user's alone.
  func checkRuntimeDirectory() throws(BackgroundServiceError) {
    var status = stat()
    guard lstat(runtimeDirectory, &status) == 0 else {
      throw .unusableDirectory(runtimeDirectory, reason: String(cString: strerror(errno)))
    }
    guard status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else {
      throw .unusableDirectory(runtimeDirectory, reason: "it is not this user's folder of mode 0700")
    }
  }

  /// Makes the folder of the queue. A service that could not would end without a word to anybody.
  /// - Returns: its path.
  private func prepareStateDirectory() throws(BackgroundServiceError) -> String {
    guard let path = stateDirectory else { throw .noStateDirectory }
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw .unusableStateDirectory(path, reason: "the folder cannot be made")
    }
    guard access(path, W_OK | X_OK) == 0 else {
      throw .unusableStateDirectory(path, reason: String(cString: strerror(errno)))
    }
    return path
  }

  /// Starts the service, which outlives this process.
  func startService() throws(BackgroundServiceError) -> StartedService {
    guard let path = findProgram() else {
      if let refusal = Self.program.look().refusal { throw .unsafeProgram(refusal) }
      let named = ProcessEnvironment.nonemptyValue(of: Self.program.variable)
      throw .noProgram(name: Self.program.name, variable: Self.program.variable, named: named)
    }
    let state = try prepareStateDirectory()
    let log = BackgroundServiceLog(in: state)
    var process: Int32 = -1
    let error = DetachedProgram(path: path).start(standardError: log?.file.number ?? -1, process: &process)
    guard error == 0 else { throw .notStarted(path, number: error) }
    return StartedService(path: path, process: process, log: log)
  }
}
