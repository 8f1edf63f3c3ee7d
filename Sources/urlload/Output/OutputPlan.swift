import Foundation

/// Where the body of each URL goes.
struct OutputPlan: Equatable, Sendable {
  enum Target: Equatable, Sendable {
    case standardOutput
    case file(String)
    /// A name of the server's or the URL's, in this directory.
    case suggestedName(in: String)
  }

  /// One for each URL, in order.
  let targets: [Target]

  /// - Parameters:
  ///   - urls: what each argument stands for.
  ///   - files: what was given with `-o`, in order.
  ///   - usesSuggestedNames: whether `-O` was given.
  ///   - directory: that of the files; nil for the current one.
  init(
    urls: [[URLGlob.Member]], files: [String], usesSuggestedNames: Bool, directory: String? = nil
  ) throws(Failure) {
    let count = urls.joined().count
    let folder = directory.map { $0.hasSuffix("/") ? $0 : "\($0)/" } ?? ""
    if usesSuggestedNames {
      guard files.isEmpty else {
        throw Failure(.usage, "-o and -O exclude each other", advice: "name the files yourself, or let the URLs do it")
      }
      targets = Array(repeating: .suggestedName(in: directory ?? "."), count: count)
      return
    }
    guard count == 1 || !files.isEmpty else {
      throw Failure(
        .usage, "\(count) URLs cannot share standard output",
        advice: "use -O, or give -o FILE as often as there are URLs")
    }
    guard files.isEmpty || files.count == urls.count else {
      throw Failure(
        .usage, "-o was given \(files.count) times for \(urls.count) URLs", advice: "give it once for each URL")
    }
    guard !files.isEmpty else {
      targets = [.standardOutput]
      return
    }
    var named: [Target] = []
    var seen: Set<String> = []
    for (members, pattern) in zip(urls, files) {
      for member in members {
        let file = URLGlob.name(pattern, member.values)
        let path = file == "-" || file.hasPrefix("/") ? file : folder + file
        guard seen.insert(path).inserted else {
          let advice = members.count > 1 ? "put #1 into the name of -o" : "give each a file of its own"
          throw Failure(.usage, "two URLs would be written to one file", path, advice: advice)
        }
        named.append(path == "-" ? .standardOutput : .file(path))
      }
    }
    targets = named
  }
}

extension OutputPlan.Target {
  /// - Parameter createsDirectories: whether directories that are missing are made.
  func open(createsDirectories: Bool) throws(Failure) -> any Output {
    switch self {
    case .standardOutput: return StreamOutput()
    case .suggestedName(let directory):
      if createsDirectories { try Self.makeDirectory(directory) }
      return FileOutput(in: directory)
    case .file(let path):
      var status = stat()
      if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG, status.st_mode & S_IFMT != S_IFDIR {
        return try StreamOutput(opening: path)
      }
      if createsDirectories, let slash = path.lastIndex(of: "/"), slash != path.startIndex {
        try Self.makeDirectory(String(path[..<slash]))
      }
      return try FileOutput(path: path)
    }
  }

  private static func makeDirectory(_ path: String) throws(Failure) {
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    } catch {
      throw Failure(
        .localFile, "cannot make this directory", path, advice: "name one where you may write, with --output-dir")
    }
  }
}
