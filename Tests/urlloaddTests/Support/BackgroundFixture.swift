import Foundation
import URLLoading
import URLLoadingTestServers

/// A place for a transfer service of a test's own, and programs that use it.
///
/// Services are found by the lock on their state, and ended by ``stop()``, or with this object.
final class BackgroundFixture: Sendable {
  let directory: TemporaryDirectory
  /// The path of the service's program, or of what becomes it.
  private let serviceProgram: String

  /// - Parameters:
  ///   - service: the path of the service's program.
  ///   - preparation: a line of the shell that runs before each service; nil for none.
  init(service: String = BuiltProgram.path("urlloadd"), preparation: String? = nil) throws {
    let directory = try TemporaryDirectory("background")
    self.directory = directory
    serviceProgram =
      try preparation.map { try ProgramStarter(in: directory, program: service, preparation: $0).path } ?? service
    for name in ["run", "taken"] {
      try FileManager.default.createDirectory(
        at: directory.file(name), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
  }

  deinit {
    if let service { kill(service, SIGKILL) }
  }

  var environment: [String: String?] {
    [
      "HOME": directory.path, "XDG_RUNTIME_DIR": directory.file("run").path,
      "XDG_STATE_HOME": directory.file("state").path,
      "XDG_DATA_HOME": directory.file("data").path, "XDG_CACHE_HOME": directory.file("cache").path,
      "XDG_CONFIG_HOME": directory.file("config").path,
      "TMPDIR": directory.path, "CFFIXED_USER_HOME": directory.path, "SSH_AUTH_SOCK": nil,
      "URLLOADD": serviceProgram, "DBUS_SESSION_BUS_ADDRESS": nil,
      // It takes seconds, in which a service that has crashed still has its lock.
      "SWIFT_BACKTRACE": "enable=no",
    ]
  }

  /// Where the service is, for tests that talk to it themselves.
  var place: BackgroundServicePlace {
    BackgroundServicePlace(
      environment: environment.compactMapValues { $0 }, user: geteuid(), temporaryDirectory: directory.path)
  }

  /// Where the user names plugins of the service.
  var pluginList: URL { directory.file("config/url-loading/plugins") }

  /// Names plugins, in a file that is the user's alone.
  func name(plugins: String...) throws {
    let folder = pluginList.deletingLastPathComponent()
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(plugins.map { "\($0)\n" }.joined().utf8).write(to: pluginList)
    for path in [folder.deletingLastPathComponent().path, folder.path] { chmod(path, 0o700) }
    chmod(pluginList.path, 0o600)
  }

  /// The folder that programs move files to, each named by the number of its task.
  var taken: URL { directory.file("taken") }

  /// The folder of the service's state.
  var state: URL { directory.file("state/url-loading/urlloadd") }

  /// The files that the service has.
  var files: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: state.appending(path: "files").path)) ?? []
  }

  /// The files in a folder that contain a text, such as those of the service's state.
  func files(with text: String, in folder: URL) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { name in
      let file = folder.appending(path: name)
      // Reading a pipe would wait for its writer. Files that are removed meanwhile have no contents.
      let type = try? FileManager.default.attributesOfItem(atPath: file.path)[.type] as? FileAttributeType
      guard type == FileAttributeType.typeRegular, let contents = try? Data(contentsOf: file) else { return false }
      return contents.range(of: Data(text.utf8)) != nil
    }
  }

  /// The process of the service that runs; nil for none.
  var service: pid_t? {
    guard let text = try? String(contentsOf: state.appending(path: "lock"), encoding: .utf8),
      let number = pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)), kill(number, 0) == 0
    else { return nil }
    return number
  }

  /// Talks to the service, once it is there.
  func control() async throws -> BackgroundControl {
    for _ in 0..<6000 {
      if let control = try? BackgroundControl(at: place) { return control }
      try await Task.sleep(for: .milliseconds(10))
    }
    throw TestServerError("no service came")
  }

  /// Starts a program.
  func program(_ identifier: String = "test", _ arguments: String..., environment other: [String: String?] = [:]) throws
    -> BackgroundProgram
  {
    try program(identifier, arguments: arguments, environment: other)
  }

  /// Starts a program.
  /// - Parameter command: what becomes it, and arguments before the others.
  func program(
    _ identifier: String = "test", arguments: [String],
    of command: [String] = [BackgroundProgram.workerPath],
    environment other: [String: String?] = [:]
  ) throws -> BackgroundProgram {
    try BackgroundProgram(
      [identifier, taken.path] + arguments, of: command, directory: directory,
      environment: environment.merging(other) { $1 })
  }

  /// Starts a program that makes tasks and ends at once, and waits for its end.
  @discardableResult
  func leave(_ identifier: String = "test", _ arguments: String...) async throws -> [String] {
    let program = try BackgroundProgram(
      [identifier, taken.path, "--exit"] + arguments, directory: directory, environment: environment)
    let status = await program.process.waitForExit()
    guard status == .exited(0) else {
      throw TestServerError("the program ended with \(String(describing: status)): \(program.lines)")
    }
    return program.lines
  }

  /// Kills the service, and waits until it is gone.
  func killService(by signal: Int32 = SIGKILL) async throws {
    guard let service else { return }
    kill(service, signal)
    _ = try await eventually { kill(service, 0) != 0 || Self.isZombie(service) }
  }

  /// Ends the service and removes its files.
  func stop() async {
    try? await killService()
    directory.remove()
  }

  private static func isZombie(_ process: pid_t) -> Bool {
    let text = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
    return text.split(separator: ")").last?.hasPrefix(" Z") ?? true
  }
}
