import ArgumentParser
import URLLoading

/// The command `urlload find`.
struct FindCommand: ParsableCommand {
  static let name = "find"

  static let configuration = CommandConfiguration(
    commandName: "urlload find",
    abstract: "Lists what is in a directory and the directories in it, by a pattern of paths.",
    discussion: """
      The pattern is a shell's: * and ? and [a-z] in a name, ** for any number of directories, a backslash in front of what stands for \
      itself. Names that begin with a dot match only where the pattern has the dot. Without a pattern all is listed. Quote it, so that \
      the shell does not replace it.

        urlload find sftp://host/srv/ '**/*.log'   at any depth
        urlload find file:///etc/ '*/*.conf'       in the directories of one

      The exit codes are those of urlload.
      """, version: HelpText.version)

  @Argument(help: ArgumentHelp("The directory: a URL, or a path.", valueName: "URL"), completion: .file())
  var url: String

  @Argument(help: ArgumentHelp("What paths below it have to match.", valueName: "PATTERN"))
  var pattern: String?

  @Flag(name: .shortAndLong, help: "Show kind, size in bytes, time of the last change (UTC), and path.")
  var long = false

  @Flag(help: "Write an object a line: name, kind, size, modified, url; without what is not known.")
  var json = false

  @OptionGroup var options: ResourceOptions

  func validate() throws {
    guard !long || !json else { throw ValidationError("-l and --json exclude each other.") }
  }

  func work(_ console: Console) throws -> ResourceWork {
    let load = try options.load([url])
    return ResourceWork(options: load, console: console) { [pattern, long, json] _, _ in
      load.urls.map { url in
        ResourceWork.Step(url: url, action: "listed") { session, login in
          let isTerminal = isatty(STDOUT_FILENO) == 1
          let text = EntryText(form: json ? .json : long ? .long : .names, isTerminal: isTerminal)
          var output = LineOutput(writesAtOnce: isTerminal)
          do {
            for try await found in session.entries(at: url, recursively: true, matching: pattern, delegate: login) {
              let folder = found.pathBytes.dropLast(found.entry.nameBytes.count)
              try output.write(text.line(for: found.entry, in: Array(folder)))
            }
          } catch {
            try? output.flush()
            throw error
          }
          try output.flush()
        }
      }
    }
  }
}
