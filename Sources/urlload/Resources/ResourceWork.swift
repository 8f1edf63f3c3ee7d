import ArgumentParser
import URLLoading

/// Does one thing after another to what URLs name, in a session of its own, and goes on after a failure.
struct ResourceWork: Runnable {
  /// One of the things.
  struct Step: Sendable {
    /// What failures are about.
    let url: URL
    /// What could not be done, such as "removed".
    let action: String
    let work: @Sendable (URLSession, LoginAnswer) async throws -> Void
  }

  let options: LoadOptions
  let console: Console
  /// How far it is, for the display; nil where nothing is shown.
  var progress: LoadStatus?
  /// Made in the session that carries them out, since what is to be done may depend on what is there.
  let steps: @Sendable (URLSession, LoginAnswer) async throws -> [Step]

  func run() async -> ExitReason {
    console.setSilent(options.report)
    options.warn(on: console)
    options.cookies.tell(console)
    let configuration = RequestBuilder.configuration(options, console)
    var fields: [String: String] = [:]
    for header in options.headers { if let value = header.value { fields[header.name] = value } }
    configuration.httpAdditionalHeaders = fields
    let uploads = UploadSession(configuration: configuration)
    Signals.register(uploads)
    let session = uploads.session
    let login = LoginAnswer(options, console)
    let display = display
    display?.start()
    var failures: [Failure] = []
    do {
      for step in try await steps(session, login) {
        do {
          try await step.work(session, login)
        } catch {
          let failure = Failure(error, url: step.url, action: step.action)
          await Signals.suspendIfEnding()
          guard failure.reason != .outputClosed else {
            display?.stop()
            return failure.reason
          }
          console.failure(failure)
          failures.append(failure)
        }
      }
    } catch {
      let failure = Failure(error, url: options.urls.last ?? URL(fileURLWithPath: "/"), action: "found")
      console.failure(failure)
      failures.append(failure)
    }
    display?.stop()
    let left = await withCheckedContinuation { continuation in
      uploads.end(cancels: false) { continuation.resume(returning: $0) }
    }
    if !left.isEmpty { console.error("urlload: " + UploadSession.text(left)) }
    await Signals.suspendIfEnding()
    if let failure = options.cookies.keep(configuration.httpCookieStorage) {
      console.failure(failure)
      failures.append(failure)
    }
    return failures.first?.reason ?? .success
  }

  private var display: ProgressDisplay? {
    guard let progress, options.report.showsProgress, !options.report.isSilent, Terminal.wantsProgress([]) else {
      return nil
    }
    return ProgressDisplay(loads: [progress], console: console)
  }
}

/// What the commands on resources have in common.
struct ResourceOptions: ParsableArguments {
  @OptionGroup(title: "Connection") var connection: ConnectionOptions
  @OptionGroup(title: "Messages") var report: ReportOptions

  /// The options, checked. A missing password is asked for last.
  func load(_ texts: [String]) throws(Failure) -> LoadOptions {
    var load = LoadOptions()
    for text in texts { load.urls.append(try ResourcePlace.url(text)) }
    try connection.apply(to: &load)
    report.apply(to: &load)
    try load.askPassword()
    return load
  }
}

extension Failure {
  /// What became of a thing that was to be done to a URL.
  init(_ error: any Error, url: URL, action: String) {
    guard let error = error as? URLError else {
      self.init(error, url: url)
      return
    }
    let place = SafeText.url(error.failingURL ?? url)
    let words = SafeText.sentence(error.localizedDescription)
    switch error.code {
    case .cannotRemoveFile, .cannotCreateFile, .cannotMoveFile, .cannotWriteToFile, .fileIsDirectory,
      .resourceUnavailable, .cannotOpenFile, .noPermissionsToReadFile, .fileDoesNotExist:
      let isMissing = [.fileDoesNotExist, .noPermissionsToReadFile].contains(error.code)
      let isLocal = (error.failingURL ?? url).isFileURL
      self.init(
        isMissing || error.code == .fileIsDirectory ? .notFound : isLocal ? .localFile : .broken,
        "it is not \(action) (\(words))", place,
        advice: isMissing ? "check the path, and your permission" : "see with urlload stat what is there")
    case .unsupportedURL:
      self.init(.badURL, "it is not \(action) (\(words))", place, advice: "see urlload --help for what a scheme can do")
    default: self.init(error, url: url)
    }
  }
}
