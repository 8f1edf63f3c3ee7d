import ArgumentParser

/// The scripts of `--generate-completion-script`.
///
/// The parser's own know no words beside arguments that repeat, as `ls` stands beside URLs.
enum CompletionScript {
  static let option = "--generate-completion-script"

  /// The shell that the arguments ask a script for; nil where they ask for none, or for one of a shell that is not known.
  static func shell(askedBy arguments: [String]) -> CompletionShell? {
    guard let first = arguments.first else { return nil }
    if first.hasPrefix("\(option)=") { return CompletionShell(rawValue: String(first.dropFirst(option.count + 1))) }
    guard first == option else { return nil }
    return arguments.count > 1 ? CompletionShell(rawValue: arguments[1]) : .autodetected()
  }

  static func text(for shell: CompletionShell) throws -> String {
    let words = [
      try CompletedCommand(ListCommand.self, named: ListCommand.name),
      try CompletedCommand(StatCommand.self, named: StatCommand.name),
      try CompletedCommand(FindCommand.self, named: FindCommand.name),
      try CompletedCommand(CopyCommand.self, named: CopyCommand.name),
      try CompletedCommand(MoveCommand.self, named: MoveCommand.name),
      try CompletedCommand(RemoveCommand.self, named: RemoveCommand.name),
      try CompletedCommand(MakeDirectoryCommand.self, named: MakeDirectoryCommand.name),
      try CompletedCommand(JobsCommand.self, named: JobsCommand.name),
    ]
    let loads = try CompletedCommand(URLLoad.self, named: nil)
    return switch shell {
    case .zsh: ZshCompletion.script(loads, words)
    case .fish: FishCompletion.script(loads, words)
    default: BashCompletion.script(loads, words)
    }
  }

  /// Text in quotes of a shell that has no escapes in them.
  static func quoted(_ text: String) -> String { "'\(text.replacing("'", with: "'\\''"))'" }
}
