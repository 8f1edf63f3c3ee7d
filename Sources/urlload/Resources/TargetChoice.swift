import URLLoading

/// Where each of the sources of `cp` and `mv` goes, by what the last argument names.
struct TargetChoice {
  private let sources: [URL]
  private let target: URL

  /// - Parameter urls: the sources, and last the target.
  init(_ urls: [URL]) {
    sources = urls.dropLast()
    target = urls.last ?? URL(fileURLWithPath: "/")
  }

  /// Looks at the target: into a directory that is there each goes under its own name.
  func pairs(_ session: URLSession, _ login: LoginAnswer) async throws -> [(source: URL, target: URL)] {
    let isDirectory = try await namesDirectory(session, login)
    guard isDirectory || sources.count == 1 else {
      throw Failure(
        .usage, "several sources need a directory that is there", SafeText.url(target),
        advice: "make it with urlload mkdir")
    }
    let pairs: [(source: URL, target: URL)] = try sources.map { source in
      guard isDirectory else { return (source, target) }
      guard let own = ResourcePlace.url(of: source, in: target) else {
        throw Failure(.usage, "the source has no name", SafeText.url(source), advice: "name the target in full")
      }
      return (source, own)
    }
    // The second would replace the first.
    for (index, pair) in pairs.enumerated() where pairs[..<index].contains(where: { $0.target == pair.target }) {
      throw Failure(
        .usage, "two sources have the same name", SafeText.url(pair.source), advice: "copy or move them one by one")
    }
    return pairs
  }

  private func namesDirectory(_ session: URLSession, _ login: LoginAnswer) async throws -> Bool {
    do {
      switch try await session.resourceInfo(at: target, delegate: login).kind {
      case .directory: return true
      // With a slash at its end a link leads to its directory.
      case .symbolicLink:
        let through = target.appending(path: "", directoryHint: .isDirectory)
        return try await session.resourceInfo(at: through, delegate: login).kind == .directory
      case .file, .other, .unknown: return false
      }
    } catch let error as URLError where [.fileDoesNotExist, .unsupportedURL].contains(error.code) {
      return false
    }
  }
}
