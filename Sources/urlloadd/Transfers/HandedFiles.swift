import Foundation

/// The second names of files that programs were given, by the numbers of their tasks: a program moves its file away, or leaves it.
struct HandedFiles {
  private static let prefix = "handed-"

  private let folder: String
  private var names: [Int: [String]] = [:]

  /// Finds the names that an earlier service has given, and removes those of tasks that are gone.
  init(in folder: String, isWanted: (Int) -> Bool) {
    self.folder = folder
    for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
      guard name.hasPrefix(Self.prefix) else { continue }
      let number = Int(name.dropFirst(Self.prefix.count).prefix { $0 != "-" })
      if let number, isWanted(number) {
        names[number, default: []].append(name)
      } else {
        unlink("\(folder)/\(name)")
      }
    }
  }

  /// Gives the file of a task another name. A program that dies before it has said that it took the file leaves the first one.
  /// - Returns: the path that the program may move, the last one where nobody has moved that; `file` itself where there is no room for a name.
  mutating func secondName(of file: String, _ number: Int) -> String {
    if let last = names[number]?.last.map({ "\(folder)/\($0)" }), access(last, F_OK) == 0 { return last }
    let name = "\(Self.prefix)\(number)-\(UInt32.random(in: 0 ... .max))"
    guard link(file, "\(folder)/\(name)") == 0 else { return file }
    names[number, default: []].append(name)
    return "\(folder)/\(name)"
  }

  /// All names.
  var all: some Sequence<String> { names.values.joined() }

  /// Forgets a task.
  /// - Returns: the paths that its program may have left.
  mutating func take(_ number: Int) -> [String] {
    names.removeValue(forKey: number)?.map { "\(folder)/\($0)" } ?? []
  }
}
