import ArchiveProtocol
import ArgumentParser
import SFTPProtocol
import URLLoading
import WebDAVProtocol

/// The command `urlload`.
@main
struct URLLoad: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "urlload", abstract: "Loads URLs of any scheme, lists directories, and copies, moves and removes.",
    usage:
      "urlload [<options>] <URL> ...\nurlload ls|stat|rm|mkdir [<options>] <URL> ...\nurlload cp|mv [<options>] <SOURCE> ... <TARGET>\nurlload find [<options>] <URL> [<PATTERN>]\nurlload jobs [<options>] [<WORD>] ...",
    discussion: HelpText.discussion,
    version: HelpText.version)

  @Argument(
    help: ArgumentHelp(
      "What to load: http, https, ftp, ftps, sftp, dav, davs, file and data URLs, and members of archives; {a,b} and [1-9] stand for several.",
      valueName: "URL"), completion: .file())
  var urls: [String] = []

  @OptionGroup var source: URLOptions
  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(title: "Request") var request: RequestOptions
  @OptionGroup(title: "Connection") var connection: ConnectionOptions
  @OptionGroup(title: "Attempts") var transfer: TransferOptions
  @OptionGroup(title: "Messages") var report: ReportOptions
  @OptionGroup(title: "Accepted, for they name what is done in any case") var defaults: DefaultOptions

  /// Parses the arguments and runs: the first may be a command's name, everything else loads. An error is one line on standard error.
  nonisolated(nonsending) static func main() async {
    StandardDescriptors.complete()
    let arguments = Array(CommandLine.arguments.dropFirst())
    SecretArguments.erase()
    if let shell = CompletionScript.shell(askedBy: arguments) { writeCompletions(for: shell) }
    URLProtocol.registerClass(ArchiveProtocol.self)
    URLProtocol.registerClass(SFTPProtocol.self)
    URLProtocol.registerClass(WebDAVProtocol.self)
    if arguments.first == ListCommand.name {
      await run(ListCommand.self, Array(arguments.dropFirst())) { command, console in
        Lister(options: try command.options(), console: console)
      }
    }
    if arguments.first == JobsCommand.name {
      await run(JobsCommand.self, Array(arguments.dropFirst())) { command, console in
        JobKeeper(command: command, console: console)
      }
    }
    switch arguments.first {
    case StatCommand.name: await run(StatCommand.self, Array(arguments.dropFirst())) { try $0.work($1) }
    case FindCommand.name: await run(FindCommand.self, Array(arguments.dropFirst())) { try $0.work($1) }
    case CopyCommand.name: await run(CopyCommand.self, Array(arguments.dropFirst())) { try $0.work($1) }
    case MoveCommand.name: await run(MoveCommand.self, Array(arguments.dropFirst())) { try $0.work($1) }
    case RemoveCommand.name: await run(RemoveCommand.self, Array(arguments.dropFirst())) { try $0.work($1) }
    case MakeDirectoryCommand.name:
      await run(MakeDirectoryCommand.self, Array(arguments.dropFirst())) { try $0.work($1) }
    default: break
    }
    await run(URLLoad.self, arguments) { command, console in
      if command.transfer.background { try command.checkBackground() }
      let options = try command.options()
      if command.transfer.background {
        return BackgroundLoads(options: options, console: console)
      }
      return LoadGroup(options: options, console: console)
    }
  }

  /// Parses and prepares on the caller's thread; another one would be made only to parse.
  nonisolated(nonsending) private static func run<Command: ParsableCommand>(
    _ type: Command.Type, _ typed: [String], _ prepare: @Sendable (Command, Console) throws -> any Runnable
  ) async -> Never {
    let console = Console()
    do {
      // The user's file has options of loads.
      let arguments =
        type == URLLoad.self ? try CommandArguments(typed).all : ArgumentExpander(typed, isListing: true).expanded
      let command = try type.parse(arguments)
      Signals.install(console)
      let work = try prepare(command, console)
      let reason = await work.run()
      let failure = OpenArchive.shared.close()
      if let failure { console.failure(failure) }
      leave(reason == .success ? failure?.reason ?? reason : reason)
    } catch let failure as Failure {
      _ = OpenArchive.shared.close()
      console.failure(failure)
      leave(failure.reason)
    } catch {
      // Help and version come as errors, too.
      if type.exitCode(for: error) == .success {
        // What the libraries say of themselves takes half the time of a start: nothing else asks for it.
        guard type.fullMessage(for: error) == HelpText.version else { type.exit(withError: error) }
        print(VersionText.text)
        type.exit()
      }
      let message = SafeText.sentence(SafeText.withoutPasswords(type.message(for: error)))
      console.line("urlload: \(message): see \(type._commandName) --help")
      leave(.usage)
    }
  }

  private static func writeCompletions(for shell: CompletionShell) -> Never {
    do {
      let script = try CompletionScript.text(for: shell)
      try DescriptorWriter.write(Data(script.utf8), to: STDOUT_FILENO, "standard output")
      leave(.success)
    } catch {
      let failure =
        error as? Failure
        ?? Failure(.other, "the options cannot be described (\(error))", advice: "see urlload --help")
      Console().failure(failure)
      leave(failure.reason)
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
