import ArchiveProtocol
import ArgumentParser
import Foundation
import SFTPProtocol
import URLLoading
import WebDAVProtocol
internal import URLLoadingBase

/// The command `urlloadd`.
@main
struct URLLoadDaemon: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "urlloadd", abstract: "Loads the background tasks of a user's programs.",
    discussion: """
      Programs that have background sessions start it, and so does systemd where its units are installed. It has no terminal to talk to: \
      `urlload jobs` lists what it does. Its state is in $XDG_STATE_HOME/url-loading/urlloadd, its socket in $XDG_RUNTIME_DIR/url-loading. \
      Plugins for schemes of one's own are named in $XDG_CONFIG_HOME/url-loading/plugins.
      """,
    version: PackageVersion.current)

  @Option(help: ArgumentHelp("End after so many seconds with nothing to do; 0 stays for ever.", valueName: "SECONDS"))
  var idleSeconds = 60

  @Option(help: ArgumentHelp("Refuse tasks beyond so many.", valueName: "N"))
  var mostTasks = 100_000

  func validate() throws {
    guard idleSeconds >= 0, mostTasks >= 0 else {
      throw ValidationError("--idle-seconds and --most-tasks need numbers of 0 or more.")
    }
  }

  func run() throws {
    signal(SIGPIPE, SIG_IGN)
    let usualDescriptorLimit = DescriptorLimit.raise()
    let environment = takeEnvironment()
    let place = BackgroundServicePlace.current
    guard let state = place.stateDirectory else {
      throw ServiceFailure("There is no place for the queue: neither XDG_STATE_HOME nor HOME is set.")
    }
    let lock = try StateLock(in: state, place: place)
    // What is inherited must not reach the programs that the service starts.
    let listener =
      try Listener(inherited: ProcessInfo.processInfo.environment, place: place) ?? Listener(at: place)
    unsetenv("LISTEN_FDS")
    unsetenv("LISTEN_PID")
    for protocolClass in [SFTPProtocol.self, ArchiveProtocol.self, WebDAVProtocol.self] as [URLProtocol.Type] {
      URLProtocol.registerClass(protocolClass)
    }
    let list = PluginLoader.list(environment: ProcessInfo.processInfo.environment)
    let plugins = PluginLoader(list: list).load()
    let record = try CrashRecord(in: state)
    var options = TransferService.Options(
      state: state, idleTime: idleSeconds == 0 ? nil : .seconds(idleSeconds), mostTasks: mostTasks, plugins: plugins,
      hasNewPlugins: { PluginLoader(list: list).hasNews(since: plugins) })
    options.environment = environment
    options.usualDescriptorLimit = usualDescriptorLimit
    options.crashes = record.take()
    options.recordsLoading = { CrashRecord.record(loading: $0) }
    try record.begin()
    let service = try TransferService(options, listener: listener)
    let signals = EndSignals(loop: service.loop)
    service.run()
    withExtendedLifetime((lock, record, signals)) {}
  }

  /// Takes what loads go by out of the process's environment, which libraries of the system read as well: it is that of whoever has started
  /// the service, and no other program's.
  private func takeEnvironment() -> LoadEnvironment {
    let environment = LoadEnvironment.current
    for name in LoadEnvironment.names where name != "SSH_AUTH_SOCK" { unsetenv(name) }
    return environment
  }
}
