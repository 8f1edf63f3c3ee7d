import Foundation
import URLLoading

/// Loads where the system has no descriptors or threads left, and again where it has some. `sockets` are those of a process that has loaded
/// before.
enum ShortageCommand {
  // Safe: the main thread's alone.
  /// Sessions that are released close connections, and give descriptors back.
  nonisolated(unsafe) private static var kept: [URLSession] = []

  static func run(url: String, of resource: String) {
    guard let url = URL(string: url) else { return say("no URL") }
    prepareDispatch()
    if resource == "sockets" { say(load(url)) }
    if resource == "threads", geteuid() == 0, setuid(65534) != 0 { return say("setuid failed") }
    let kind = __rlimit_resource_t((resource == "threads" ? __RLIMIT_NPROC : RLIMIT_NOFILE).rawValue)
    let limit = resource == "threads" ? 1 : firstFreeDescriptor
    var both = rlimit()
    getrlimit(kind, &both)
    let usual = both.rlim_cur
    both.rlim_cur = limit
    guard setrlimit(kind, &both) == 0 else { return say("setrlimit failed") }
    say(load(url))
    say(preferringLoop(url))
    both.rlim_cur = usual
    guard setrlimit(kind, &both) == 0 else { return say("setrlimit failed") }
    say(load(url))
    say(preferringLoop(url))
  }

  /// Dispatch ends the process where it finds no descriptor for itself, and waits for ever where no thread of its own is idle and it may not
  /// make one: what it needs has to be there.
  private static func prepareDispatch() {
    // A serial queue takes a thread beyond the number of processors; the global one has a thread for each.
    occupy((0..<8).map { DispatchQueue(label: "shortage \($0)") })
    occupy(Array(repeating: .global(), count: ProcessInfo.processInfo.activeProcessorCount))
    let timer = DispatchSemaphore(value: 0)
    DispatchQueue.global().asyncAfter(deadline: .now() + 0.01) { timer.signal() }
    timer.wait()
    Task { timer.signal() }
    timer.wait()
    // Each of its queues has threads of its own: those of a load are made by one that needs no transfer.
    if let url = URL(string: "data:,") { _ = load(url) }
  }

  /// Has each of the queues run something at the same time, on a thread of its own.
  private static func occupy(_ queues: [DispatchQueue]) {
    let group = DispatchGroup()
    let arrived = DispatchSemaphore(value: 0)
    let all = DispatchSemaphore(value: 0)
    for queue in queues {
      queue.async(group: group) {
        arrived.signal()
        all.wait()
      }
    }
    for _ in queues { arrived.wait() }
    for _ in queues { all.signal() }
    group.wait()
  }

  private static var firstFreeDescriptor: rlim_t {
    let free = dup(0)
    close(free)
    return rlim_t(max(0, free))
  }

  private static func load(_ url: URL) -> String {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.connectionProxyDictionary = [:]
    let session = URLSession(configuration: configuration)
    kept.append(session)
    let ended = DispatchSemaphore(value: 0)
    nonisolated(unsafe) var line = ""
    // Safe: written before the signal, read after it.
    let task = session.dataTask(with: url) { data, _, error in
      line = words(data, error)
      ended.signal()
    }
    task.resume()
    return ended.wait(timeout: .now() + 20) == .success ? line : "no end"
  }

  private static func preferringLoop(_ url: URL) -> String {
    let ended = DispatchSemaphore(value: 0)
    nonisolated(unsafe) var line = ""
    // Safe: written before the signal, read after it.
    Task(executorPreference: URLSession.loadingExecutor) {
      do {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.connectionProxyDictionary = [:]
        line = words(try await URLSession(configuration: configuration).data(from: url).0, nil)
      } catch {
        line = words(nil, error)
      }
      ended.signal()
    }
    return ended.wait(timeout: .now() + 20) == .success ? line : "no end"
  }

  private static func words(_ data: Data?, _ error: (any Error)?) -> String {
    if let error = error as NSError? {
      let cause = error.userInfo[NSUnderlyingErrorKey] as? POSIXError
      return "error \(error.code) \(cause?.code.rawValue ?? 0) \(error.localizedDescription)"
    }
    return "loaded \(data?.count ?? 0)"
  }
}
