import Foundation
import URLLoading

/// A program with a background session: makes the tasks of its arguments, and says what its delegate hears.
///
/// `BackgroundWorker IDENTIFIER FOLDER [OPTION …] [download:URL | thrifty:URL | upload:FILE,URL | put:FILE,URL |
/// bytes:TEXT,URL | stream:TEXT,URL | task:URL …]`. A `thrifty` download may not use expensive networks, an `upload` by HTTP is a POST,
/// `bytes` and a `stream` are uploads without a file, a `task` is a data task. Options:
/// `--exit` ends at once when the tasks are resumed, before its delegate hears of them, `--launched-by PATH` has the service start `PATH`, with `--launch-argument TEXT` for
/// each argument, `--launch-unit NAME` a unit of systemd, `--launch-name NAME` what has the name on the session bus,
/// `--request-timeout SECONDS` and `--resource-timeout SECONDS` set the session's limits,
/// `--stores USER:PASSWORD URL` stores a login for ever, `--password USER:PASSWORD` answers challenges, `--many N TASK` makes N tasks
/// whose URLs end in a number, `--at-once` makes the tasks on many threads, `--quiet` says times in milliseconds in the place of each task,
/// `--delay SECONDS` sets the date of tasks, and `--delayed URL` loads that in their place, `--delayed cancel` nothing, `--delayed large` a
/// large body, `--expects BYTES` sets the bytes that they are to receive, `--refuses WORD` keeps the session from networks that are
/// `cellular`, `expensive` or `constrained`, `--no-cookies` from having a storage of cookies, `--discretionary` makes the session that,
/// `--retries N` tries again so often after statuses,
/// `--made-first` makes the tasks before it asks for those that there are, and says milliseconds,
/// `--token T` gives each request `T` in a field, `--proxy-password P` gives the session a proxy with that password, which plain HTTP does
/// not use, `--environment` the proxies of its environment; see below. Files of downloads are moved into the folder, named by the number of their task.
@main
struct BackgroundWorker {
  static func main() async {
    var arguments = CommandLine.arguments.dropFirst()
    guard let identifier = arguments.popFirst(), let folder = arguments.popFirst() else { return say("usage") }
    let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
    let delegate = WorkerDelegate(folder: folder)
    configuration.connectionProxyDictionary = [:]
    var exits = false
    var isQuiet = false
    var isConcurrent = false
    var isMadeFirst = false
    var delay: Double?
    var expected: Int64?
    var tasks: [String] = []
    while let argument = arguments.popFirst() {
      switch argument {
      case "--exit": exits = true
      case "--launched-by":
        if let path = arguments.popFirst() { configuration.backgroundLaunch = .executable(path: path, arguments: []) }
      case "--launch-argument":
        guard case .executable(let path, let others)? = configuration.backgroundLaunch else { return say("no program") }
        configuration.backgroundLaunch = .executable(path: path, arguments: others + [arguments.popFirst() ?? ""])
      case "--launch-unit": configuration.backgroundLaunch = arguments.popFirst().map { .systemdUnit($0) }
      case "--launch-name": configuration.backgroundLaunch = arguments.popFirst().map { .dbusName($0) }
      case "--password": delegate.setPassword(arguments.popFirst() ?? "")
      case "--stores": store(arguments.popFirst() ?? "", for: arguments.popFirst().flatMap { URL(string: $0) })
      case "--request-timeout": configuration.timeoutIntervalForRequest = Double(arguments.popFirst() ?? "") ?? 60
      case "--resource-timeout": configuration.timeoutIntervalForResource = Double(arguments.popFirst() ?? "") ?? 60
      case "--dies-with-file": delegate.setDies()
      case "--delay": delay = Double(arguments.popFirst() ?? "")
      case "--delayed": delegate.setDelayedAnswer(arguments.popFirst() ?? "")
      case "--expects": expected = Int64(arguments.popFirst() ?? "")
      case "--refuses-cost": configuration.allowsExpensiveNetworkAccess = false
      case "--refuses": refuse(arguments.popFirst() ?? "", configuration)
      case "--no-cookies": configuration.httpCookieStorage = nil
      case "--retries":
        var policy = URLSessionConfiguration.RetryPolicy()
        policy.maximumRetries = Int(arguments.popFirst() ?? "") ?? 0
        policy.firstDelay = 0.05
        configuration.retryPolicy = policy
      case "--discretionary": configuration.isDiscretionary = true
      case "--trusts": delegate.setTrusts()
      case "--authority":
        configuration.certificateAuthorityFile = arguments.popFirst().map { URL(fileURLWithPath: $0) }
      case "--answers-later": delegate.setAnswersLater()
      case "--at-once": isConcurrent = true
      case "--made-first":
        isMadeFirst = true
        configuration.sessionEventListener = WorkerListener()
      case "--quiet":
        isQuiet = true
        delegate.setQuiet()
      case "--many":
        let (count, task) = (Int(arguments.popFirst() ?? "") ?? 0, arguments.popFirst() ?? "")
        tasks += (0..<count).map { "\(task)\($0)" }
      case "--token": configuration.httpAdditionalHeaders = ["X-Api-Token": arguments.popFirst() ?? ""]
      case "--proxy-password":
        // Of a proxy that plain HTTP does not use.
        configuration.connectionProxyDictionary = [
          "HTTPSEnable": 1, "HTTPSProxy": "127.0.0.1", "HTTPSPort": 9, "kCFProxyUsernameKey": "user",
          "kCFProxyPasswordKey": arguments.popFirst() ?? "",
        ]
      case "--environment": configuration.connectionProxyDictionary = nil
      case "--header": configuration.httpAdditionalHeaders = ["X-Worker": arguments.popFirst() ?? ""]
      default: tasks.append(argument)
      }
    }
    let start = ContinuousClock.now
    // A program that exits hears nothing, however slowly it does: what ends meanwhile is for the next one.
    let silent = OperationQueue()
    silent.isSuspended = true
    let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: exits ? silent : nil)
    if isMadeFirst {
      makeFirst(tasks, session)
      tasks = []
      if exits { exit(0) }
      let begin = ContinuousClock.now
      let known = await session.allTasks.map { String($0.taskIdentifier) }.joined(separator: ",")
      say("known \(known) \((ContinuousClock.now - begin) / .milliseconds(1))")
    } else if isQuiet {
      let count = await session.allTasks.count
      say("attached \(count) \((ContinuousClock.now - start) / .milliseconds(1))")
    } else {
      for task in await session.allTasks {
        say("has \(task.taskIdentifier) \(task.originalRequest?.url?.absoluteString ?? "")")
      }
    }
    if isConcurrent {
      DispatchQueue.concurrentPerform(iterations: tasks.count) { [tasks] in task(tasks[$0], session)?.resume() }
      tasks = []
    }
    for text in tasks {
      guard let task = task(text, session) else { return say("no task: \(text)") }
      if let delay { task.earliestBeginDate = Date().addingTimeInterval(delay) }
      if let expected { task.countOfBytesClientExpectsToReceive = expected }
      task.resume()
      if !isQuiet {
        // The service has it on its disk from then on.
        _ = await session.allTasks
        say("resumed \(task.taskIdentifier)")
      }
    }
    if isQuiet { say("queued \((ContinuousClock.now - start) / .milliseconds(1))") }
    if exits { exit(0) }
    await obey(session, delegate)
  }

  /// Makes and resumes tasks, and says how long that took.
  private static func makeFirst(_ texts: [String], _ session: URLSession) {
    for text in texts {
      let begin = ContinuousClock.now
      guard let task = task(text, session) else { return say("no task: \(text)") }
      task.resume()
      say("made \(task.taskIdentifier) \((ContinuousClock.now - begin) / .milliseconds(1))")
    }
  }

  /// Stores a login for ever, as the default one of a server's realm `r`.
  private static func store(_ login: String, for url: URL?) {
    let parts = login.split(separator: ":").map(String.init)
    guard parts.count == 2, let host = url?.host, let port = url?.port else { return say("no login: \(login)") }
    let space = URLProtectionSpace(
      host: host, port: port, protocol: NSURLProtectionSpaceHTTP, realm: "r",
      authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
    let credential = URLCredential(user: parts[0], password: parts[1], persistence: .permanent)
    URLCredentialStorage.shared.setDefaultCredential(credential, for: space)
    say("stored \(URLCredentialStorage.shared.defaultCredential(for: space)?.persistence == .permanent)")
  }

  /// Keeps a session from networks of a kind.
  private static func refuse(_ kind: String, _ configuration: URLSessionConfiguration) {
    switch kind {
    case "cellular": configuration.allowsCellularAccess = false
    case "expensive": configuration.allowsExpensiveNetworkAccess = false
    case "constrained": configuration.allowsConstrainedNetworkAccess = false
    default: say("no kind of network: \(kind)")
    }
  }

  /// Does what lines of standard input say until it ends.
  private static func obey(_ session: URLSession, _ delegate: WorkerDelegate) async {
    while let line = await nextLine() {
      let words = line.split(separator: " ").map(String.init)
      let number = words.count > 1 ? Int(words[1]) : nil
      if words.first == "many" {
        let begin = ContinuousClock.now
        for index in 0..<(number ?? 0) { self.task("\(words.last ?? "")\(index)", session)?.resume() }
        say("many \((ContinuousClock.now - begin) / .milliseconds(1))")
        continue
      }
      let task = await session.allTasks.first { $0.taskIdentifier == number }
      switch words.first {
      case "answer": delegate.answer()
      case "suspend": task?.suspend()
      case "resume": task?.resume()
      case "cancel": task?.cancel()
      case "expects": task?.countOfBytesClientExpectsToReceive = words.count > 2 ? Int64(words[2]) ?? -1 : -1
      case "make":
        guard words.count > 1, let made = self.task(words[1], session) else { return say("no task: \(line)") }
        made.resume()
        _ = await session.allTasks
        say("resumed \(made.taskIdentifier)")
      case "cancel-for-data":
        let data = await (task as? URLSessionDownloadTask)?.cancelByProducingResumeData()
        say("data \(data?.count ?? -1)")
        if let data {
          let next = session.downloadTask(withResumeData: data)
          next.resume()
          say("resumed \(next.taskIdentifier)")
        }
      case "continue":
        (task as? URLSessionDownloadTask)?.cancel { data in
          guard let data else { return say("no data") }
          let next = session.downloadTask(withResumeData: data)
          next.resume()
          say("resumed \(next.taskIdentifier)")
        }
      case "tasks": say("tasks \(await session.allTasks.map { String($0.taskIdentifier) }.joined(separator: ","))")
      case "invalidate": session.finishTasksAndInvalidate()
      default: say("what?")
      }
    }
  }

  private static func nextLine() async -> String? {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: readLine()) }
    }
  }

  private static func task(_ text: String, _ session: URLSession) -> URLSessionTask? {
    let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
    guard parts.count == 2 else { return nil }
    switch parts[0] {
    case "download": return URL(string: parts[1]).map { session.downloadTask(with: $0) }
    case "task": return URL(string: parts[1]).map { session.dataTask(with: $0) }
    case "thrifty":
      return URL(string: parts[1]).map { url in
        var request = URLRequest(url: url)
        request.allowsExpensiveNetworkAccess = false
        return session.downloadTask(with: request)
      }
    case "copy":
      let urls = parts[1].split(separator: ",").compactMap { URL(string: String($0)) }
      guard urls.count == 2 else { return nil }
      var request = URLRequest(url: urls[0])
      request.httpMethod = "COPY"
      request.setValue(urls[1].absoluteString, forHTTPHeaderField: "Destination")
      return session.downloadTask(with: request)
    case "handler":
      return URL(string: parts[1]).map {
        session.downloadTask(with: $0) { _, _, error in say("handled \(error as Any)") }
      }
    case "bytes", "stream":
      let words = parts[1].split(separator: ",", maxSplits: 1).map(String.init)
      guard words.count == 2, let url = URL(string: words[1]) else { return nil }
      var request = URLRequest(url: url)
      request.httpMethod = "PUT"
      let body = Data(words[0].utf8)
      if parts[0] == "bytes" { return session.uploadTask(with: request, from: body) }
      request.httpBodyStream = InputStream(data: body)
      return session.uploadTask(withStreamedRequest: request)
    case "upload", "put":
      let names = parts[1].split(separator: ",", maxSplits: 1).map(String.init)
      guard names.count == 2, let url = URL(string: names[1]) else { return nil }
      var request = URLRequest(url: url)
      if parts[0] == "put" {
        request.httpMethod = "PUT"
      } else if url.scheme?.hasPrefix("http") == true {
        request.httpMethod = "POST"
      }
      return session.uploadTask(with: request, fromFile: URL(fileURLWithPath: names[0]))
    default: return nil
    }
  }
}

/// Writes a line at once: the program may be killed.
func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }
