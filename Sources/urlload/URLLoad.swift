import ArgumentParser
import URLLoading

/// The command `urlload`.
@main
struct URLLoad: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "urlload", abstract: "Loads URLs of any scheme.", discussion: HelpText.discussion,
    version: HelpText.version)

  @Argument(help: ArgumentHelp("What to load: http, https, ftp, ftps, file and data URLs.", valueName: "URL"))
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
    name: [.customShort("H"), .long], parsing: .unconditionalSingleValue,
    help: ArgumentHelp("A field of the request; may be repeated.", valueName: "'Name: value'"))
  var header: [String] = []

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

  @Option(help: ArgumentHelp("Seconds that one attempt may take.", valueName: "SECONDS"))
  var maxTime: Double?

  @Option(help: ArgumentHelp("Certificate authorities to trust instead of the system's (PEM).", valueName: "FILE"))
  var cacert: String?

  @Option(help: ArgumentHelp("A proxy: http://, socks4:// or socks5://HOST:PORT.", valueName: "URL"))
  var proxy: String?

  @Option(
    name: .shortAndLong, parsing: .unconditional,
    help: ArgumentHelp("Log in; a missing password is asked for.", valueName: "USER[:PASSWORD]"))
  var user: String?

  @Option(help: ArgumentHelp("How many URLs to load at a time.", valueName: "N"))
  var parallel = 8

  /// Parses the arguments and runs. An error is one line on standard error.
  static func main() async {
    let console = Console()
    do {
      let command = try parse()
      Signals.install(console)
      var options = try command.options()
      try command.askPassword(&options)
      leave(await LoadGroup(options: options, console: console).run())
    } catch let failure as Failure {
      console.line(failure.line)
      leave(failure.reason)
    } catch {
      // Help and version come as errors, too.
      if exitCode(for: error) == .success { exit(withError: error) }
      console.line("urlload: \(message(for: error)): see urlload --help")
      leave(.usage)
    }
  }

  private static func leave(_ reason: ExitReason) -> Never {
    // Nothing is left to flush, and a thread that waits in a read must not hold up the end.
    _exit(reason.rawValue)
  }

  private func askPassword(_ options: inout LoadOptions) throws(Failure) {
    guard let login = options.login, login.password == nil else { return }
    options.login?.password = Terminal.askPassword(for: login.user)
    if options.login?.password == nil {
      throw Failure(.usage, "no password, and no terminal to ask for it", advice: "write -u USER:PASSWORD")
    }
  }
}
