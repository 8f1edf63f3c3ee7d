import URLLoading

extension URLProtocolConformance {
  static let listings = [
    ConformanceCheck("a directory lists what is in it", capabilities: .listing, abilities: .directories) {
      context, session in
      let (url, files) = try await context.placeDirectory()
      let entries = try await context.list(url, in: session)
      let names = entries.map(\.name).sorted()
      try context.expect(
        names == files.keys.sorted(), url, "the names \(files.keys.sorted())", "they were \(names)",
        "Each entry of the directory is told once, by its name as it is, and nothing else.")
      for entry in entries {
        let bytes = files[entry.name] ?? Data()
        try context.expect(
          entry.kind == .file || entry.kind == .unknown, entry.url, "a file, or a kind that is not known",
          "it was \(entry.kind)", "Nil and unknown are right for what the source does not tell.")
        try context.expect(
          entry.size == nil || entry.size == Int64(bytes.count), entry.url, "a size of \(bytes.count), or none",
          "it was \(entry.size ?? -1)", "Nil and unknown are right for what the source does not tell.")
        let outcome = try await session.load(URLRequest(url: entry.url))
        try context.expectSuccess(outcome, entry.url, "a load of an entry's URL")
        try context.expectBody(outcome, bytes, entry.url, "by an entry's URL")
      }
    },
    ConformanceCheck("a listing can be left on its way", capabilities: .listing, abilities: .directories) {
      context, session in
      let (url, _) = try await context.placeDirectory()
      context.step("the first entry was waited for", url)
      for try await _ in session.session.entries(at: url) { break }
    },
    ConformanceCheck("a file is no directory, and a directory no file", capabilities: .listing, abilities: .directories)
    { context, session in
      let (url, _) = try await context.placeDirectory()
      let file = try await context.place(10)
      do {
        let entries = try await context.list(file.url, in: session)
        throw context.failure(
          file.url, expected: "an error for a listing of a file", happened: "there were \(entries.count) entries",
          advice: "Fail with URLError.notDirectory(_:).")
      } catch let error as URLError {
        try context.expect(
          error.code == .resourceUnavailable, file.url, "URLError.resourceUnavailable for a listing of a file",
          "it was \(error.code.rawValue)", "Fail with URLError.notDirectory(_:).")
      }
      let outcome = try await session.load(URLRequest(url: url))
      try context.expect(
        outcome.code == .fileIsDirectory, url, "URLError.fileIsDirectory (-1101) for a plain load of a directory",
        "there was \(outcome.errorText)", "A directory is listed only where the load wants entries.")
    },
  ]
}

extension CheckContext {
  /// Makes a directory; names with blanks and letters beyond ASCII are among its files'.
  fileprivate func placeDirectory() async throws -> (url: URL, files: [String: Data]) {
    let files = [
      "a.txt": Data("one".utf8), "b c.bin": TestBytes.make(1000, seed: "b"), "ü%41": Data(), "z": Data("z".utf8),
    ]
    step("the fixture made a directory", nil)
    return (try await fixture.directory(of: files, named: Self.newName()), files)
  }

  fileprivate func list(_ url: URL, in session: CheckSession) async throws -> [URLDirectoryEntry] {
    step("it was listed", url)
    var entries: [URLDirectoryEntry] = []
    for try await entry in session.session.entries(at: url) {
      entries.append(entry)
      try expect(
        entries.count <= 1000, url, "four entries", "there were more than 1000", "Finish at the end of the directory.")
    }
    return entries
  }
}
