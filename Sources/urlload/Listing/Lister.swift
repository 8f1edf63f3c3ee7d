import URLLoading

/// Lists directories, one after another.
struct Lister: Runnable {
  let options: ListOptions
  let console: Console

  func run() async -> ExitReason {
    console.setSilent(options.load.report)
    options.load.warn(on: console)
    options.load.cookies.tell(console)
    let configuration = RequestBuilder.configuration(options.load, console)
    let session = URLSession(configuration: configuration)
    let isTerminal = isatty(STDOUT_FILENO) == 1
    var output = LineOutput(writesAtOnce: isTerminal)
    var failures: [Failure] = []
    for (index, url) in options.load.urls.enumerated() {
      do {
        if options.load.urls.count > 1, options.form != .json {
          try output.write(Array("\(index > 0 ? "\n" : "")\(SafeText.url(url)):".utf8))
        }
        let text = EntryText(form: options.form, isTerminal: isTerminal)
        failures += try await list(url, in: session, text, to: &output)
        try output.flush()
      } catch {
        let failure = Failure(error, url: url, isListing: true)
        guard failure.reason != .outputClosed, failure.reason != .localFile else {
          if failure.reason == .localFile { console.failure(failure) }
          return failure.reason
        }
        // The entries before the failure are shown.
        try? output.flush()
        console.failure(failure)
        failures.append(failure)
      }
    }
    session.finishTasksAndInvalidate()
    if let failure = options.load.cookies.keep(configuration.httpCookieStorage) {
      console.failure(failure)
      failures.append(failure)
    }
    return failures.first?.reason ?? .success
  }

  /// - Returns: the failures of directories below, after which the others are listed.
  private func list(
    _ url: URL, in session: URLSession, _ text: EntryText, to output: inout LineOutput
  ) async throws -> [Failure] {
    var failures: [Failure] = []
    var folders: [(url: URL, path: [UInt8])] = [(url, [])]
    while let folder = folders.popLast() {
      let request = RequestBuilder.request(for: folder.url, options.load)
      var found: [(url: URL, path: [UInt8])] = []
      do {
        for try await entry in session.entries(at: request, delegate: LoginAnswer(options.load, console)) {
          try output.write(text.line(for: entry, in: folder.path))
          if options.isRecursive, entry.kind == .directory {
            found.append((entry.url, folder.path + entry.nameBytes + [UInt8(ascii: "/")]))
          }
        }
      } catch let error as URLError where !folder.path.isEmpty {
        let failure = Failure(error, url: folder.url, isListing: true)
        // Without a connection the others would fail in the same way.
        guard failure.reason == .notFound else { throw error }
        try output.flush()
        console.failure(failure)
        failures.append(failure)
      }
      folders.append(contentsOf: found.reversed())
    }
    return failures
  }
}
