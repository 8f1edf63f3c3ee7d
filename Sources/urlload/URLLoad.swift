import ArchiveProtocol
import ArgumentParser
import SFTPProtocol
import URLLoading

/// The command `urlload`.
@main
struct URLLoad: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "urlload", abstract: "Loads URLs of any scheme, and lists directories.",
    usage: "urlload [<options>] <URL> ...\nurlload ls [<options>] <URL> ...", discussion: HelpText.discussion,
    version: HelpText.version)

  @Argument(
    help: ArgumentHelp(
      "What to load: http, https, ftp, ftps, sftp, file and data URLs, and members of archives.", valueName: "URL"))
  var urls: [String]

  @Option(
    name: .shortAndLong, parsing: .singleValue,
    help: ArgumentHelp("Write into this file; once for each URL. - is standard output.", valueName: "FILE"))
  var output: [String] = []

  @Flag(
    name: [.customShort("O"), .long], help: "Write into a file named by the server or the URL; never over another.")
  var remoteName = false

  @Option(name: [.customShort("X"), .customLong("request")], help: ArgumentHelp("The method.", valueName: "METHOD"))
  var method: String?

  @Option(
    name: .shortAndLong, parsing: .unconditionalSingleValue,
    help: ArgumentHelp("Send this (POST); @FILE sends a file's content, @- standard input.", valueName: "DATA|@FILE"))
  var data: [String] = []

  @Option(
    name: [.customShort("T"), .long], parsing: .unconditional,
    help: ArgumentHelp("Upload this file (PUT); - is standard input.", valueName: "FILE"))
  var uploadFile: String?

  @Option(
    name: .shortAndLong, parsing: .unconditional,
    help: ArgumentHelp("Load only these bytes: 0-99, 100- or -100.", valueName: "RANGE"))
  var range: String?

  @Flag(name: [.customShort("I"), .long], help: "Write what is known about the resource, not the resource.")
  var head = false

  @Flag(name: .shortAndLong, help: "Show requests, responses and timings on standard error.")
  var verbose = false

  @Option(help: ArgumentHelp("Try again after transient failures, so often at most.", valueName: "N"))
  var retry = 0

  @OptionGroup var connection: ConnectionOptions

  @Option(help: ArgumentHelp("How many URLs to load at a time.", valueName: "N"))
  var parallel = 8

  /// Parses the arguments and runs: `ls` lists, everything else loads. An error is one line on standard error.
  static func main() async {
    URLProtocol.registerClass(ArchiveProtocol.self)
    URLProtocol.registerClass(SFTPProtocol.self)
    let arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.first == ListCommand.name {
      await run(ListCommand.self, Array(arguments.dropFirst())) { command, console in
        Lister(options: try command.options(), console: console)
      }
    }
    await run(URLLoad.self, arguments) { command, console in
      LoadGroup(options: try command.options(), console: console)
    }
  }

  private static func run<Command: ParsableCommand>(
    _ type: Command.Type, _ arguments: [String], _ prepare: @Sendable (Command, Console) throws -> any Runnable
  ) async -> Never {
    let console = Console()
    do {
      let command = try type.parse(arguments)
      Signals.install(console)
      let work = try prepare(command, console)
      let reason = await work.run()
      let failure = OpenArchive.shared.close()
      if let failure { console.line(failure.line) }
      leave(reason == .success ? failure?.reason ?? reason : reason)
    } catch let failure as Failure {
      _ = OpenArchive.shared.close()
      console.line(failure.line)
      leave(failure.reason)
    } catch {
      // Help and version come as errors, too.
      if type.exitCode(for: error) == .success { type.exit(withError: error) }
      console.line("urlload: \(SafeText.withoutPasswords(type.message(for: error))): see \(type._commandName) --help")
      leave(.usage)
    }
  }

  private static func leave(_ reason: ExitReason) -> Never {
    // Nothing is left to flush, and a thread may be blocked in a read.
    _exit(reason.rawValue)
  }
}

/// The work of a command line.
protocol Runnable: Sendable {
  /// - Returns: the reason to exit with.
  func run() async -> ExitReason
}
