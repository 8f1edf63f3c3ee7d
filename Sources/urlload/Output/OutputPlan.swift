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
    guard !files.isEmpty else {
      targets = Array(repeating: .standardOutput, count: count)
      return
    }
    let only = files.count == 1 ? files[0] : ""
    let sink = [only, folder + only].first { !only.isEmpty && urls.count > 1 && FileTarget.isSpecial($0) }
    if let sink {
      targets = Array(repeating: .file(sink), count: count)
      return
    }
    guard files.count == urls.count else {
      throw Failure(
        .usage, "-o was given \(files.count) times for \(urls.count) URLs", advice: "give it once for each URL")
    }
    var named: [Target] = []
    var seen: Set<String> = []
    for (members, pattern) in zip(urls, files) {
      for member in members {
        let file = URLGlob.name(pattern, member.values)
        let path = file == "-" || file.hasPrefix("/") ? file : folder + file
        guard seen.insert(path).inserted || path == "-" || FileTarget.isSpecial(path) else {
          let advice = members.count > 1 ? "put #1 into the name of -o" : "give each a file of its own"
          throw Failure(.usage, "two URLs would be written to one file", path, advice: advice)
        }
        named.append(path == "-" ? .standardOutput : .file(path))
      }
    }
    targets = named
  }

  /// Whether two bodies go to one place, in which they must not be mixed.
  var needsOrder: Bool {
    var seen: Set<String> = []
    return targets.contains { target in
      switch target {
      case .standardOutput: !seen.insert("-").inserted
      case .file(let path): path != "/dev/null" && !seen.insert(path).inserted
      case .suggestedName: false
      }
    }
  }
}

extension OutputPlan.Target {
  /// - Parameters:
  ///   - createsDirectories: whether directories that are missing are made.
  ///   - keepsFiles: whether a file that is there stays, and another is made.
  func open(createsDirectories: Bool, keepsFiles: Bool) throws(Failure) -> any Output {
    try prepare(createsDirectories: createsDirectories)
    switch self {
    case .standardOutput: return StreamOutput()
    case .suggestedName(let directory): return FileOutput(in: directory)
    case .file(let path):
      if FileTarget.isSpecial(path) { return try StreamOutput(opening: path) }
      if !keepsFiles, let file = InPlaceOutput(path: path) { return file }
      return try FileOutput(path: path, replaces: !keepsFiles)
    }
  }

  /// Makes the directories that are missing, where that is wanted.
  func prepare(createsDirectories: Bool) throws(Failure) {
    guard createsDirectories else { return }
    switch self {
    case .standardOutput: return
    case .suggestedName(let directory): try Self.makeDirectory(directory)
    case .file(let path): try Self.makeDirectory(FileNames.split(path).directory)
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
