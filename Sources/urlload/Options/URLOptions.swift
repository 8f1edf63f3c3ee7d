import ArgumentParser
import URLLoading

/// Where URLs come from, besides the arguments.
struct URLOptions: ParsableArguments {
  @Option(parsing: .singleValue, help: ArgumentHelp("Load this URL, too.", valueName: "URL"))
  var url: [String] = []

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp("Load the URLs of a file, one a line; - is standard input.", valueName: "FILE"),
    completion: .file())
  var inputFile: [String] = []

  @Flag(name: [.customShort("g"), .long], help: "Take {}, [] in URLs as they are, not as patterns.")
  var globoff = false

  // These two are dealt with before the rest is parsed; see CommandArguments.
  @Option(
    name: [.customShort("K"), .long], parsing: .unconditionalSingleValue,
    help: ArgumentHelp("Read options from this file, too.", valueName: "FILE"), completion: .file())
  var config: [String] = []

  @Flag(name: [.customShort("q"), .long], help: "Given first: do not read ~/.config/urlload.")
  var disable = false

  /// All URLs, with what stands in each for the sets of its pattern.
  func members(_ arguments: [String]) throws(Failure) -> [[URLGlob.Member]] {
    var texts = arguments + url
    for file in inputFile {
      // A line may say what follows the URL; # begins a remark.
      texts += try LocalInput.lines(of: file).map { $0.trimmingCharacters(in: .whitespaces) }
        .filter { !$0.isEmpty && !$0.hasPrefix("#") }
    }
    var result: [[URLGlob.Member]] = []
    for text in texts {
      // What follows data: has braces and brackets of its own.
      let isLiteral = globoff || text.lowercased().hasPrefix("data:")
      result.append(isLiteral ? [URLGlob.Member(text: text)] : try URLGlob.members(of: text))
    }
    guard !result.isEmpty else {
      let advice = inputFile.isEmpty ? "name one, such as https://example.org/" : "write a URL on each line"
      throw Failure(.usage, "there is no URL to load", inputFile.first, advice: advice)
    }
    return result
  }
}
