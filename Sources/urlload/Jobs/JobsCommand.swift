import ArgumentParser
import URLLoading

/// The command `urlload jobs`.
struct JobsCommand: ParsableCommand {
  static let name = "jobs"

  static let configuration = CommandConfiguration(
    commandName: "urlload jobs",
    abstract: "Shows and steers what is loaded in the background, by any program of yours.",
    discussion: """
      Without a word: lists the jobs, with their numbers, and those that have failed.
      take            Move the files of urlload --background to their places, those that are there; the service does it by itself when all are.
      wait            The same, and wait for the others.
      cancel NUMBER…  End jobs; their programs are told.
      retry NUMBER…   Try again now what waits for its next try.
      forget          Leave those that have failed out of the list.
      limits          Show the limits for all transfers, and set those that are given as options.
      """, version: HelpText.version)

  /// What is done.
  enum Action: String, ExpressibleByArgument, CaseIterable { case list, take, wait, cancel, retry, forget, limits }

  @Argument(help: ArgumentHelp("list, take, wait, cancel, retry, forget or limits.", valueName: "WORD"))
  var action = Action.list

  @Argument(help: ArgumentHelp("The jobs to cancel or to try again.", valueName: "NUMBER"))
  var numbers: [Int] = []

  @Flag(help: "Write an object a line.")
  var json = false

  @Option(help: ArgumentHelp("Transfers at once.", valueName: "N"))
  var transfers: Int?

  @Option(help: ArgumentHelp("Transfers at once with one server.", valueName: "N"))
  var perHost: Int?

  @Option(help: ArgumentHelp("Bytes a second, of all transfers together; 0 for no limit.", valueName: "BYTES"))
  var rate: Int64?

  @Option(
    help: ArgumentHelp(
      "Bytes of the disk that downloads, and copies of files to upload, leave free.", valueName: "BYTES"))
  var freeSpace: Int64?

  func validate() throws {
    let takesNumbers = action == .cancel || action == .retry
    guard takesNumbers != numbers.isEmpty else {
      throw ValidationError(
        takesNumbers ? "\(action.rawValue) needs the numbers of jobs." : "\(action.rawValue) takes no numbers.")
    }
    guard action == .limits || [transfers, perHost].allSatisfy({ $0 == nil }) && rate == nil && freeSpace == nil else {
      throw ValidationError("--transfers, --per-host, --rate and --free-space belong to limits.")
    }
    guard [transfers, perHost].allSatisfy({ $0 ?? 1 >= 1 }), rate ?? 0 >= 0, freeSpace ?? 0 >= 0 else {
      throw ValidationError("Limits are numbers of 1 or more, --rate and --free-space of 0 or more.")
    }
  }
}
