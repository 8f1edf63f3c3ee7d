import URLLoading

/// Loads that outlive the command: `urlload --background`. Their files are moved to their places by `urlload jobs take`, which
/// the service starts when all are there.
struct BackgroundLoads: Runnable {
  let options: LoadOptions
  let console: Console

  func run() async -> ExitReason {
    console.setSilent(options.report)
    options.warn(on: console)
    let taker = BackgroundTaker(console: console, isQuiet: true)
    var reason = ExitReason.success
    do throws(Failure) {
      // Nothing is queued that has no place.
      let places = try zip(options.urls, options.outputs).map { url, target throws(Failure) in
        try place(of: target, url)
      }
      let session = try await BackgroundSessions.open(options, taker)
      for (url, place) in zip(options.urls, places) {
        do throws(Failure) { try await queue(url, place, in: session) } catch {
          console.failure(error)
          reason = error.reason
        }
      }
      await session.leaveBackground()
    } catch {
      console.failure(error)
      return error.reason
    }
    return reason
  }

  private func queue(_ url: URL, _ place: BackgroundPlace, in session: URLSession) async throws(Failure) {
    let request = RequestBuilder.request(for: url, options)
    let task: URLSessionTask
    switch options.body {
    case .file(let path): task = session.uploadTask(with: request, fromFile: URL(fileURLWithPath: path))
    case .data, nil: task = session.downloadTask(with: request)
    case .stream, .form:
      throw Failure(
        .usage, "--background sends files alone", SafeText.url(url),
        advice: "write the body into a file, and give -T FILE")
    }
    task.taskDescription = place.description
    task.resume()
    // It is queued when the service has it on its disk. A load that has failed already is one that was queued.
    let failure = await session.backgroundFailure()
    if let refusal = session.backgroundRefusal(of: task) ?? failure?.localizedDescription {
      throw Failure(.other, SafeText.sentence(refusal), SafeText.url(url), advice: "see urlload jobs --help")
    }
    console.line("urlload: queued \(SafeText.url(url))")
  }

  private func place(of target: OutputPlan.Target, _ url: URL) throws(Failure) -> BackgroundPlace {
    var place: BackgroundPlace
    switch target {
    case .file(let path):
      try target.prepare(createsDirectories: options.createsDirectories)
      if FileTarget.isNull(path) { return BackgroundPlace(path: "", isFolder: false) }
      guard !FileTarget.isSpecial(path) else { throw Failure(irregular: path) }
      let file = try FileTarget(path)
      try check(folder: file.directory)
      place = BackgroundPlace(path: URL(fileURLWithPath: path).path, isFolder: false)
    case .suggestedName(let folder):
      try target.prepare(createsDirectories: options.createsDirectories)
      try check(folder: folder)
      place = BackgroundPlace(path: URL(fileURLWithPath: folder).path, isFolder: true)
    case .standardOutput:
      if case .file = options.body { return BackgroundPlace(path: "", isFolder: false) }
      throw Failure(
        .usage, "--background has no standard output", SafeText.url(url), advice: "give -O, or -o FILE for each URL")
    }
    // The service has permissions of its own.
    place.mode = 0o666 & ~FileCreationMask.current
    (place.keepsErrorBodies, place.keepsTime) = (options.keepsErrorBodies, options.keepsTime)
    return place
  }

  /// Says now what would be found out when the file is there.
  private func check(folder: String) throws(Failure) {
    var status = stat()
    guard stat(folder, &status) == 0 else { throw Failure(writing: folder, errno) }
    guard status.st_mode & S_IFMT == S_IFDIR else { throw Failure(writing: folder, ENOTDIR) }
    guard access(folder, W_OK | X_OK) == 0 else { throw Failure(writing: folder, errno) }
  }
}
