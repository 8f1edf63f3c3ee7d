extension KnownHosts {
  /// Reads files, one after another. One that is missing has nothing to say.
  init(files: [String]) {
    for file in files {
      do throws(LocalFile.Unreadable) {
        add(try LocalFile.read(file), file: file)
      } catch {
        guard !error.isMissing else { continue }
        add(LineProblem(place: SourceLine(file: file, line: 1), reason: "the file cannot be read: \(error.reason)"))
      }
    }
  }
}
