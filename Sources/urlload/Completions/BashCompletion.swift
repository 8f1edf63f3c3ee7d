/// The script for bash.
enum BashCompletion {
  static func script(_ loads: CompletedCommand, _ words: [CompletedCommand]) -> String {
    """
    # bash completion of urlload
    _urlload() {
        local cur=$2 prev=$3 word='' options='' files='' folders='' others='' words='' first='' arguments='' place=1
        COMPREPLY=()
        (( COMP_CWORD > 1 )) && word=${COMP_WORDS[1]}
        case $word in
    \(words.map { branch($0, pattern: $0.name ?? "", place: 2) }.joined(separator: "\n"))
    \(branch(loads, pattern: "*", place: 1, first: words.compactMap(\.name)))
        esac
        if [[ " $files " == *" $prev "* ]]; then
            mapfile -t COMPREPLY < <(compgen -f -- "$cur")
        elif [[ " $folders " == *" $prev "* ]]; then
            mapfile -t COMPREPLY < <(compgen -d -- "$cur")
        elif [[ -n $words ]]; then
            mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
        elif [[ " $others " == *" $prev "* ]]; then
            return
        elif [[ $cur == -* ]]; then
            mapfile -t COMPREPLY < <(compgen -W "$options" -- "$cur")
        else
            (( COMP_CWORD == place )) && mapfile -t COMPREPLY < <(compgen -W "$first" -- "$cur")
            [[ $arguments == files ]] && mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$cur")
        fi
    }
    complete -o filenames -F _urlload urlload

    """
  }

  /// - Parameters:
  ///   - place: where the first argument stands.
  ///   - first: the words that it may be, beside its own.
  private static func branch(
    _ command: CompletedCommand, pattern: String, place: Int, first: [String] = []
  ) -> String {
    func names(_ isWanted: (CompletedCommand.Values?) -> Bool) -> String {
      CompletionScript.quoted(
        command.options.filter { isWanted($0.values) }.flatMap(\.names).joined(separator: " "))
    }
    var first = first
    if case .words(let own) = command.arguments { first += own }
    return """
          \(pattern))
              options=\(names { _ in true })
              files=\(names { $0 == .files })
              folders=\(names { $0 == .folders })
              others=\(names { $0 == .anything })
              case $prev in
      \(choices(command))
              esac
              first=\(CompletionScript.quoted(first.joined(separator: " "))) place=\(place)
              arguments=\(command.arguments == .files ? "files" : "none")
              ;;
      """
  }

  /// Branches of a `case` for the options whose values are words; the last takes all others.
  private static func choices(_ command: CompletedCommand) -> String {
    let branches = command.options.compactMap { option -> String? in
      guard case .words(let words)? = option.values else { return nil }
      let names = option.names.joined(separator: "|")
      return "            \(names)) words=\(CompletionScript.quoted(words.joined(separator: " "))) ;;"
    }
    return (branches + ["            *) ;;"]).joined(separator: "\n")
  }
}
