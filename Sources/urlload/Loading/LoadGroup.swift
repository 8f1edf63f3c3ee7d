import URLLoading

/// Loads all URLs, some at a time, and shows progress.
struct LoadGroup: Runnable {
  let options: LoadOptions
  let console: Console

  /// - Returns: the reason of the first URL that failed, else why cookies were not kept.
  func run() async -> ExitReason {
    console.setSilent(options.report)
    options.warn(on: console)
    if options.removesParts { PartialFiles.shared.keepNothing() }
    var outputs: [any Output] = []
    var resumptions: [Resumption?] = []
    let heads: HeadFile?
    do throws(Failure) {
      var startingPoints: [StartingPoint] = []
      for (target, url) in zip(options.outputs, options.urls) {
        let output = try target.open(
          createsDirectories: options.createsDirectories, keepsFiles: options.keepsFiles)
        outputs.append(output)
        startingPoints.append(try StartingPoint(options.continuation, output, url))
      }
      for startingPoint in startingPoints { resumptions.append(try startingPoint.take(console)) }
      // Nothing of the user's is touched before all is known to be right.
      heads = try options.report.headFile.map { path throws(Failure) in try HeadFile(path) }
    } catch {
      console.failure(error)
      return error.reason
    }
    options.cookies.tell(console)
    let configuration = RequestBuilder.configuration(options, console)
    let uploads = options.body == nil ? nil : UploadSession(configuration: configuration)
    if let uploads { Signals.register(uploads) }
    let session = uploads?.session ?? URLSession(configuration: configuration)
    let loaders = options.urls.indices.map { index in
      Loader(
        url: options.urls[index], number: index, options: options, output: outputs[index],
        status: LoadStatus(name: outputs[index].name ?? FileNames.safe(options.urls[index].lastPathComponent)),
        session: session, console: console, heads: heads, initialResumption: resumptions[index])
    }
    let display =
      options.report.showsProgress && !options.report.isSilent && Terminal.wantsProgress(options.outputs)
      ? ProgressDisplay(loads: loaders.map(\.status), console: console) : nil
    display?.start()
    let (ended, notBegun) = await load(loaders)
    var failures = ended
    display?.stop()
    await Signals.suspendIfEnding()
    let left = await leftovers(uploads)
    session.finishTasksAndInvalidate()
    // Whoever closed the output wants to hear of nothing.
    let failed = zip(failures, options.urls).filter { ($0.0?.reason ?? .outputClosed) != .outputClosed }.map(\.1)
    failures.append(options.cookies.keep(configuration.httpCookieStorage))
    for failure in failures.compactMap(\.self) where failure.reason != .outputClosed { console.failure(failure) }
    if options.urls.count > 1, !failed.isEmpty {
      let rest = notBegun > 0 ? "; \(notBegun) not begun, by --fail-early" : ""
      let names = failed.map { SafeText.url($0) }.joined(separator: ", ")
      console.error("urlload: \(failed.count) of \(options.urls.count) URLs failed: \(names)\(rest)")
    }
    if !left.isEmpty { console.error("urlload: " + UploadSession.text(left)) }
    return failures.compactMap(\.self).first?.reason ?? .success
  }

  /// The files that uploads have left.
  private func leftovers(_ uploads: UploadSession?) async -> [URL] {
    guard let uploads else { return [] }
    return await withCheckedContinuation { continuation in
      uploads.end(cancels: false) { continuation.resume(returning: $0) }
    }
  }

  /// The failure of each, in order, and how many were not begun.
  private func load(_ loaders: [Loader]) async -> (failures: [Failure?], notBegun: Int) {
    await withTaskGroup(of: (Int, Failure?).self) { group in
      let endsWithOutput = options.outputs.allSatisfy { $0 == .standardOutput }
      var failures = [Failure?](repeating: nil, count: loaders.count)
      var next = 0
      var notBegun = 0
      func startNext() {
        guard next < loaders.count else { return }
        let (index, loader) = (next, loaders[next])
        group.addTask { (index, await loader.run()) }
        next += 1
      }
      for _ in 0..<max(1, options.parallel) { startNext() }
      while let (index, failure) = await group.next() {
        failures[index] = failure
        if failure != nil, options.stopsAtFailure {
          notBegun += loaders.count - next
          next = loaders.count
        } else if failure?.reason == .outputClosed, endsWithOutput {
          // Nobody would get what the others have.
          next = loaders.count
        }
        startNext()
      }
      return (failures, notBegun)
    }
  }
}
