import Foundation

/// A command as Redis reads it (RESP): an array of bulk strings.
struct RedisCommand: Sendable {
  let bytes: Data

  init(_ words: [Word]) {
    var bytes = Data("*\(words.count)\r\n".utf8)
    for word in words {
      bytes.append(contentsOf: "$\(word.bytes.count)\r\n".utf8)
      bytes.append(word.bytes)
      bytes.append(contentsOf: "\r\n".utf8)
    }
    self.bytes = bytes
  }

  init(_ words: Word...) { self.init(words) }

  /// Runs a script on one key; scripts reach no other keys than those that begin with it, which a cluster keeps in the same place.
  init(script: String, key: String, _ arguments: [Word]) {
    self.init(["EVAL", Word(script), "1", Word(key)] + arguments)
  }

  /// A bulk string.
  struct Word: Sendable, ExpressibleByStringLiteral {
    let bytes: Data

    init(_ bytes: Data) { self.bytes = bytes }
    init(_ text: String) { bytes = Data(text.utf8) }
    init(_ number: Int) { self.init(String(number)) }
    init(stringLiteral text: String) { self.init(text) }
  }
}
