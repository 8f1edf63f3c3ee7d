import Foundation

/// Overwrites secrets in the arguments of the process, which every user of the machine sees.
enum SecretArguments {
  private static let letters = "uUE"
  private static let words: Set<String> = ["user", "proxy-user", "pass", "cert", "oauth2-bearer"]

  /// To be called when the arguments have been read.
  static func erase() {
    let arguments = CommandLine.unsafeArgv
    for (index, range) in places(in: CommandLine.arguments) {
      guard let argument = arguments[index] else { continue }
      // The length may have been taken for a String's, which differs where bytes are no UTF-8.
      let length = strlen(argument)
      guard range.lowerBound <= length else { continue }
      memset(argument + range.lowerBound, Int32(UInt8(ascii: "*")), length - range.lowerBound)
    }
  }

  /// Which arguments have secrets, and from which byte on.
  static func places(in arguments: [String]) -> [(index: Int, bytes: PartialRangeFrom<Int>)] {
    var places: [(Int, PartialRangeFrom<Int>)] = []
    var index = 1
    while index < arguments.count, arguments[index] != "--" {
      let argument = arguments[index]
      if argument.hasPrefix("--") {
        let name = argument.dropFirst(2).prefix { $0 != "=" }
        let isJoined = name.utf8.count + 2 < argument.utf8.count
        if words.contains(String(name)) {
          places.append(isJoined ? (index, (name.utf8.count + 3)...) : (index + 1, 0...))
        }
        if !isJoined, ArgumentExpander.valuedWords.contains(String(name)) { index += 1 }
      } else if argument.hasPrefix("-"),
        let letter = argument.dropFirst().firstIndex(where: ArgumentExpander.valued.contains)
      {
        let start = argument.utf8.distance(from: argument.startIndex, to: letter) + 1
        let isJoined = start < argument.utf8.count
        if letters.contains(argument[letter]) { places.append(isJoined ? (index, start...) : (index + 1, 0...)) }
        if !isJoined { index += 1 }
      }
      index += 1
    }
    return places.filter { $0.0 < arguments.count }
  }
}
