import Glibc
internal import URLLoadingCGlibcExtensions

/// Starts processes with `posix_spawn`.
enum Spawn {
  /// Starts a process in a group of its own, with default signals and no descriptors but those given.
  ///
  /// - Parameter inherited: a descriptor that the process sees as number 3.
  static func start(
    _ executable: String, _ arguments: [String], environment: [String: String], directory: String,
    input: Int32, output: Int32, error: Int32, inherited: Int32
  ) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addchdir_np(&actions, directory)
    // Number 3 goes first, since the standard ones could overwrite it only if it were one of them.
    posix_spawn_file_actions_adddup2(&actions, inherited, 3)
    posix_spawn_file_actions_adddup2(&actions, input, 0)
    posix_spawn_file_actions_adddup2(&actions, output, 1)
    posix_spawn_file_actions_adddup2(&actions, error, 2)
    // A connection that a child inherited would look open to its peer after the test closed it.
    posix_spawn_file_actions_addclosefrom_np(&actions, 4)

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    var all = sigset_t()
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

    var argv = ([executable] + arguments).map { strdup($0) } + [nil]
    var envp = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { (argv + envp).forEach { free($0) } }
    var pid: pid_t = 0
    let result = posix_spawn(&pid, executable, &actions, &attributes, &argv, &envp)
    guard result == 0 else { throw TestServerError.system("start \(executable)", result) }
    return pid
  }
}
