import ArgumentParser
import URLLoading

/// The command `urlload mkdir`.
struct MakeDirectoryCommand: ParsableCommand {
  static let name = "mkdir"

  static let configuration = CommandConfiguration(
    commandName: "urlload mkdir", abstract: "Makes directories.", discussion: HelpText.resources,
    version: HelpText.version)

  @Argument(help: ArgumentHelp("The directories: URLs, or paths.", valueName: "URL"), completion: .file())
  var urls: [String]

  @Flag(name: .shortAndLong, help: "Make those on the way, too; one that is there is no failure.")
  var parents = false

  @OptionGroup var options: ResourceOptions

  func work(_ console: Console) throws -> ResourceWork {
    let load = try options.load(urls)
    return ResourceWork(options: load, console: console) { [parents] _, _ in
      load.urls.map { url in
        ResourceWork.Step(url: url, action: "made") { session, login in
          try await session.createDirectory(at: url, withIntermediateDirectories: parents, delegate: login)
        }
      }
    }
  }
}
