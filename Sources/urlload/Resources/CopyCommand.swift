import ArgumentParser
import URLLoading

/// The command `urlload cp`.
struct CopyCommand: ParsableCommand {
  static let name = "cp"

  static let configuration = CommandConfiguration(
    commandName: "urlload cp",
    abstract: "Copies files, and directories with -r, between URLs of any schemes and paths.",
    usage: "urlload cp [<options>] <SOURCE> ... <TARGET>", discussion: HelpText.resources, version: HelpText.version)

  @Argument(
    help: ArgumentHelp(
      "What is copied, and last where to: into a directory that is there, else under that name.",
      valueName: "SOURCE ... TARGET"), completion: .file())
  var urls: [String]

  @Flag(
    name: [.customShort("r"), .customShort("R"), .long],
    help: "Copy directories with all that is in them; links in them are left out, and said.")
  var recursive = false

  @Flag(name: [.customShort("L"), .long], help: "Copy what links lead to in their place.")
  var dereference = false

  @Flag(help: "Replace nothing that is there: that is a failure.")
  var noClobber = false

  @OptionGroup var options: ResourceOptions

  func validate() throws {
    guard urls.count > 1 else { throw ValidationError("cp needs what to copy, and last where to.") }
  }

  func work(_ console: Console) throws -> ResourceWork {
    let load = try options.load(urls)
    let progress = LoadStatus(name: "copied")
    return ResourceWork(options: load, console: console, progress: progress) {
      [recursive, dereference, noClobber] session, login in
      let pairs = try await TargetChoice(load.urls).pairs(session, login)
      return pairs.map { pair in
        ResourceWork.Step(url: pair.source, action: "copied") { session, login in
          let storing = StoringProgress(progress, login, isOneFile: pairs.count == 1 && !recursive)
          try await session.copyItem(
            from: pair.source, to: pair.target, overwriting: !noClobber, recursively: recursive,
            followingLinks: dereference, delegate: storing)
        }
      }
    }
  }
}
