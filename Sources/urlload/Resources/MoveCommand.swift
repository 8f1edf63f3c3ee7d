import ArgumentParser
import URLLoading

/// The command `urlload mv`.
struct MoveCommand: ParsableCommand {
  static let name = "mv"

  static let configuration = CommandConfiguration(
    commandName: "urlload mv",
    abstract: "Moves files and directories within a server or a file system, and files between any.",
    usage: "urlload mv [<options>] <SOURCE> ... <TARGET>", discussion: HelpText.resources, version: HelpText.version)

  @Argument(
    help: ArgumentHelp(
      "What is moved, and last where to: into a directory that is there, else to that name.",
      valueName: "SOURCE ... TARGET"), completion: .file())
  var urls: [String]

  @Flag(help: "Replace nothing that is there: that is a failure.")
  var noClobber = false

  @OptionGroup var options: ResourceOptions

  func validate() throws {
    guard urls.count > 1 else { throw ValidationError("mv needs what to move, and last where to.") }
  }

  func work(_ console: Console) throws -> ResourceWork {
    let load = try options.load(urls)
    let progress = LoadStatus(name: "moved")
    return ResourceWork(options: load, console: console, progress: progress) { [noClobber] session, login in
      let pairs = try await TargetChoice(load.urls).pairs(session, login)
      return pairs.map { pair in
        ResourceWork.Step(url: pair.source, action: "moved") { session, login in
          let storing = StoringProgress(progress, login, isOneFile: pairs.count == 1)
          try await session.moveItem(from: pair.source, to: pair.target, overwriting: !noClobber, delegate: storing)
        }
      }
    }
  }
}
