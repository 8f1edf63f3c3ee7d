import ArgumentParser
import Foundation

/// A command as completions know it: its options, and what stands beside them.
struct CompletedCommand {
  /// What a value or an argument can be.
  enum Values: Equatable {
    case anything
    case files
    case folders
    case words([String])
  }

  struct Option {
    /// `-o`.
    let letters: [String]
    /// `--output`.
    let words: [String]
    /// Nil for a flag.
    let values: Values?
    let valueName: String
    let isRepeating: Bool
    let text: String

    var names: [String] { letters + words }
  }

  /// The word that calls it; nil for loads.
  let name: String?
  let text: String
  let options: [Option]
  /// What stands first beside the options.
  let arguments: Values

  /// - Throws: an error of decoding, where the parser describes its commands in another way.
  init(_ type: any ParsableCommand.Type, named name: String?) throws {
    let command = try JSONDecoder().decode(Description.self, from: Data(type._dumpHelp().utf8)).command
    let shown = command.arguments.filter(\.shouldDisplay)
    self.name = name
    text = command.abstract ?? ""
    options = shown.filter { $0.kind != "positional" }.map(\.option)
    arguments = shown.first { $0.kind == "positional" }?.values ?? .anything
  }
}

extension CompletedCommand {
  /// What `--experimental-dump-help` says (ToolInfo of swift-argument-parser, version 0).
  private struct Description: Decodable {
    struct Command: Decodable {
      let abstract: String?
      let arguments: [Argument]
    }

    let command: Command
  }

  private struct Argument: Decodable {
    struct Name: Decodable {
      let kind: String
      let name: String
    }

    struct Completion: Decodable {
      struct Place: Decodable {}

      struct List: Decodable {
        let values: [String]
      }

      let file: Place?
      let directory: Place?
      let list: List?
    }

    let kind: String
    let shouldDisplay: Bool
    let isRepeating: Bool
    let names: [Name]?
    let valueName: String?
    let abstract: String?
    let completionKind: Completion?

    var values: Values {
      if completionKind?.file != nil { return .files }
      if completionKind?.directory != nil { return .folders }
      return completionKind?.list.map { .words($0.values) } ?? .anything
    }

    var option: Option {
      let names = names ?? []
      return Option(
        letters: names.filter { $0.kind != "long" }.map { "-\($0.name)" },
        words: names.filter { $0.kind == "long" }.map { "--\($0.name)" }, values: kind == "option" ? values : nil,
        valueName: valueName ?? "", isRepeating: isRepeating, text: abstract ?? "")
    }
  }
}
