import Foundation
import URLLoading

/// Loads that outlive the command: `urlload --background`. Their files are moved to their places by `urlload jobs take`, which
/// the service starts when all are there.
struct BackgroundLoads: Runnable {
  static let identifier = "org.swift-url-loading.urlload"

  let options: LoadOptions
  let console: Console

  /// A session with the tasks of this command.
  /// - Parameter options: those of the connection; nil where nothing is added.
  static func session(_ options: LoadOptions?, _ delegate: BackgroundTaker) -> URLSession {
    let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
    configuration.httpCookieStorage = nil
    if let options {
      let other = RequestBuilder.configuration(options)
      configuration.certificateAuthorityFile = other.certificateAuthorityFile
      configuration.connectionProxyDictionary = other.connectionProxyDictionary
      configuration.tlsMinimumSupportedProtocolVersion = other.tlsMinimumSupportedProtocolVersion
      configuration.tlsMaximumSupportedProtocolVersion = other.tlsMaximumSupportedProtocolVersion
      configuration.network = other.network
      if let maxTime = options.maxTime { configuration.timeoutIntervalForResource = maxTime }
    }
    if let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") {
      configuration.backgroundLaunch = .executable(path: own, arguments: ["jobs", "take"])
    }
    return URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
  }

  func run() async -> ExitReason {
    let taker = BackgroundTaker(console: console, isQuiet: true)
    let session = Self.session(options, taker)
    var reason = ExitReason.success
    for (url, target) in zip(options.urls, options.outputs) {
      do { try queue(url, target, in: session) } catch {
        console.failure(error)
        reason = error.reason
      }
    }
    // Whoever has not been acknowledged by now has failed, and the taker said so.
    return taker.hasFailed ? .other : reason
  }

  private func queue(_ url: URL, _ target: OutputPlan.Target, in session: URLSession) throws(Failure) {
    let request = RequestBuilder.request(for: url, options)
    let task: URLSessionTask
    switch options.body {
    case .file(let path): task = session.uploadTask(with: request, fromFile: URL(fileURLWithPath: path))
    case .data, nil: task = session.downloadTask(with: request)
    case .standardInput, .form:
      throw Failure(
        .usage, "--background sends files alone", SafeText.url(url),
        advice: "write the body into a file, and give -T FILE")
    }
    task.taskDescription = try place(of: target, url).description
    task.resume()
    if let error = task.error {
      throw Failure(
        .other, SafeText.sentence(error.localizedDescription), SafeText.url(url), advice: "see urlload jobs --help")
    }
    console.line("urlload: queued \(SafeText.url(url))")
  }

  private func place(of target: OutputPlan.Target, _ url: URL) throws(Failure) -> BackgroundPlace {
    switch target {
    case .file(let path): return BackgroundPlace(path: URL(fileURLWithPath: path).path, isFolder: false)
    case .suggestedName(let folder): return BackgroundPlace(path: URL(fileURLWithPath: folder).path, isFolder: true)
    case .standardOutput:
      if case .file = options.body { return BackgroundPlace(path: "", isFolder: false) }
      throw Failure(
        .usage, "--background has no standard output", SafeText.url(url), advice: "give -O, or -o FILE for each URL")
    }
  }
}
