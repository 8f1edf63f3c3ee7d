import Foundation

/// Where the body of each URL goes.
struct OutputPlan: Equatable, Sendable {
  enum Target: Equatable, Sendable {
    case standardOutput
    case file(String)
    case suggestedName
  }

  /// One for each URL, in order.
  let targets: [Target]

  /// - Parameters:
  ///   - files: what was given with `-o`, in order.
  ///   - usesSuggestedNames: whether `-O` was given.
  init(urls: Int, files: [String], usesSuggestedNames: Bool) throws(Failure) {
    if usesSuggestedNames {
      guard files.isEmpty else {
        throw Failure(.usage, "-o and -O exclude each other", advice: "name the files yourself, or let the URLs do it")
      }
      targets = Array(repeating: .suggestedName, count: urls)
      return
    }
    guard urls == 1 || !files.isEmpty else {
      throw Failure(
        .usage, "\(urls) URLs cannot share standard output",
        advice: "use -O, or give -o FILE as often as there are URLs")
    }
    guard files.isEmpty || files.count == urls else {
      throw Failure(
        .usage, "-o was given \(files.count) times for \(urls) URLs", advice: "give it once for each URL")
    }
    let named = files.map { $0 == "-" ? Target.standardOutput : .file($0) }
    for (index, file) in files.enumerated() where files[..<index].contains(file) {
      throw Failure(.usage, "two URLs would be written to one file", file, advice: "give each a file of its own")
    }
    targets = named.isEmpty ? [.standardOutput] : named
  }
}

extension OutputPlan.Target {
  func open() throws(Failure) -> any Output {
    switch self {
    case .standardOutput: return StreamOutput()
    case .suggestedName: return FileOutput()
    case .file(let path):
      var status = stat()
      if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG, status.st_mode & S_IFMT != S_IFDIR {
        return try StreamOutput(opening: path)
      }
      return try FileOutput(path: path)
    }
  }
}
