import ArgumentParser
import URLLoading

/// The command `urlload ls`.
struct ListCommand: ParsableCommand {
  static let name = "ls"

  static let configuration = CommandConfiguration(
    commandName: "urlload ls",
    abstract: "Lists what is in directories: file, ftp, ftps, sftp, dav and davs URLs, and archives.",
    discussion: HelpText.listing, version: HelpText.version)

  @Argument(help: ArgumentHelp("The directories.", valueName: "URL"), completion: .file())
  var urls: [String]

  @Flag(name: .shortAndLong, help: "Show kind, size in bytes, time of the last change (UTC), and name.")
  var long = false

  @Flag(help: "Write an object a line: name, kind, size, modified, url; without what is not known.")
  var json = false

  @Flag(name: [.customShort("R"), .long], help: "List what is in directories below, too; names are paths then.")
  var recursive = false

  @OptionGroup(title: "Connection") var connection: ConnectionOptions
  @OptionGroup(title: "Messages") var report: ReportOptions

  /// The options, checked. A missing password is asked for last.
  func options() throws(Failure) -> ListOptions {
    guard !long || !json else {
      throw Failure(.usage, "-l and --json exclude each other", advice: "--json tells everything")
    }
    var load = LoadOptions()
    for text in urls { load.urls.append(try OptionReader.url(text)) }
    try connection.apply(to: &load)
    report.apply(to: &load)
    try load.askPassword()
    return ListOptions(load: load, form: json ? .json : long ? .long : .names, isRecursive: recursive)
  }
}

/// What the user asked for, checked.
struct ListOptions: Sendable {
  /// What is written of an entry.
  enum Form: Equatable, Sendable { case names, long, json }

  /// The URLs, and the way to them.
  let load: LoadOptions
  let form: Form
  let isRecursive: Bool
}
