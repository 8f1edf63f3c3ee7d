import ArgumentParser
import URLLoading

/// The command `urlload rm`.
struct RemoveCommand: ParsableCommand {
  static let name = "rm"

  static let configuration = CommandConfiguration(
    commandName: "urlload rm", abstract: "Removes files and links, and directories with -r.",
    discussion: HelpText.resources, version: HelpText.version)

  @Argument(help: ArgumentHelp("What is removed: URLs, or paths.", valueName: "URL"), completion: .file())
  var urls: [String]

  @Flag(name: [.customShort("r"), .customShort("R"), .long], help: "Remove directories with all that is in them.")
  var recursive = false

  @Flag(name: .shortAndLong, help: "What is not there is no failure.")
  var force = false

  @OptionGroup var options: ResourceOptions

  func work(_ console: Console) throws -> ResourceWork {
    let load = try options.load(urls)
    return ResourceWork(options: load, console: console) { [recursive, force] _, _ in
      load.urls.map { url in
        ResourceWork.Step(url: url, action: "removed") { session, login in
          do {
            try await session.removeItem(at: url, recursively: recursive, delegate: login)
          } catch let error as URLError where force && error.code == .fileDoesNotExist {}
        }
      }
    }
  }
}
