import URLLoading

/// Loads all URLs, some at a time, and shows progress.
struct LoadGroup: Runnable {
  let options: LoadOptions
  let console: Console

  /// - Returns: the reason of the first URL that failed, else why cookies were not kept.
  func run() async -> ExitReason {
    var outputs: [any Output] = []
    do throws(Failure) {
      for target in options.outputs { outputs.append(try target.open()) }
    } catch {
      console.line(error.line)
      return error.reason
    }
    options.cookies.tell(console)
    let configuration = RequestBuilder.configuration(options)
    let uploads = options.body == nil ? nil : UploadSession(configuration: configuration)
    if let uploads { Signals.register(uploads) }
    let session = uploads?.session ?? URLSession(configuration: configuration)
    let loaders = zip(options.urls, outputs).map { url, output in
      Loader(
        url: url, options: options, output: output, status: LoadStatus(name: output.name ?? ""), session: session,
        console: console)
    }
    let display =
      Terminal.wantsProgress(options.outputs)
      ? ProgressDisplay(loads: loaders.map(\.status), console: console) : nil
    display?.start()
    var failures = await load(loaders)
    display?.stop()
    await Signals.suspendIfEnding()
    let left = await leftovers(uploads)
    session.finishTasksAndInvalidate()
    failures.append(options.cookies.keep(configuration.httpCookieStorage))
    for failure in failures.compactMap(\.self) where failure.reason != .outputClosed { console.line(failure.line) }
    if !left.isEmpty { console.line("urlload: " + UploadSession.text(left)) }
    return failures.compactMap(\.self).first?.reason ?? .success
  }

  /// The files that uploads have left.
  private func leftovers(_ uploads: UploadSession?) async -> [URL] {
    guard let uploads else { return [] }
    return await withCheckedContinuation { continuation in
      uploads.end(cancels: false) { continuation.resume(returning: $0) }
    }
  }

  /// The failure of each, in order.
  private func load(_ loaders: [Loader]) async -> [Failure?] {
    await withTaskGroup(of: (Int, Failure?).self) { group in
      var failures = [Failure?](repeating: nil, count: loaders.count)
      var next = 0
      func startNext() {
        guard next < loaders.count else { return }
        let (index, loader) = (next, loaders[next])
        group.addTask { (index, await loader.run()) }
        next += 1
      }
      for _ in 0..<max(1, options.parallel) { startNext() }
      while let (index, failure) = await group.next() {
        failures[index] = failure
        startNext()
      }
      return failures
    }
  }
}
