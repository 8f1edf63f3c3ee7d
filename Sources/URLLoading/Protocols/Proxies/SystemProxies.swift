internal import Synchronization
internal import URLLoadingBase
internal import URLLoadingCurlTransport

/// The proxies of the system's settings, as libproxy tells them: desktops' settings, and what else it has modules for.
///
/// It is asked by scheme, host and port, on threads that may block: its modules read settings from other processes, look up names and run
/// scripts. What it said holds for half a minute. Where it does not answer in time, connections are direct, and it is not
/// asked for a while.
///
/// Mutable state: `memory`, guarded by its lock; `absent` and `hasBegun`, atomics; `ask`, set once by a thread of the pool, under its lock.
final class SystemProxies: Sendable {
  /// Says the proxies for a URL as libproxy does, such as `http://proxy.example:3128` and `direct://`.
  typealias Ask = @Sendable (String) -> [String]

  /// libproxy, as it is installed, where it can know of settings.
  static let shared = SystemProxies(isAbsent: !DesktopSettings().mayExist) { libproxy("libproxy.so.1") }

  /// A library of libproxy's interface; nil where no library has that name.
  static func libproxy(_ name: String) -> Ask? {
    guard let library = Libproxy(name) else { return nil }
    return { url in library.proxies(for: url) }
  }

  private enum Library: Sendable {
    case pending
    case done(Ask?)
  }

  private let pool = BlockingPool(name: "URLLoading proxies", maximumThreadCount: 2)
  private let timeLimit: Duration
  private let opening: @Sendable () -> Ask?
  private let ask = Locked(Library.pending)
  private let absent: Atomic<Bool>
  /// Whether ``open()`` was called: it does not wait for the lock of `ask`, which is held as long as the library takes to open.
  private let hasBegun = Atomic(false)
  private let memory = Locked(SystemProxyMemory<@Sendable ([ProxyServer?]) -> Void>())

  /// - Parameters:
  ///   - timeLimit: what one question may take.
  ///   - isAbsent: whether the library is not even to be looked for.
  ///   - open: opens the library, before the first question; nil where there is none.
  init(timeLimit: Duration = .seconds(5), isAbsent: Bool = false, open: @escaping @Sendable () -> Ask?) {
    self.timeLimit = timeLimit
    absent = Atomic(isAbsent)
    opening = open
  }

  /// Whether there is no library, as far as anybody has looked: then connections are direct, and nothing has to be asked.
  var isAbsent: Bool { absent.load(ordering: .relaxed) }

  /// Opens the library ahead of the first question: that takes a millisecond, as long as the transfer engine takes to start.
  func open() {
    guard !isAbsent, !hasBegun.exchange(true, ordering: .relaxed) else { return }
    pool.run { _ = self.opened() }
  }

  /// The proxies for a URL.
  /// - Parameter later: gets them where they have to be asked for.
  /// - Returns: nil where that is so.
  func proxies(for url: URL, otherwise later: @escaping @Sendable ([ProxyServer?]) -> Void) -> [ProxyServer?]? {
    let key = Self.key(of: url)
    switch memory.withLock({ $0.ask(key, later, at: .now) }) {
    case .answer(let proxies): return proxies
    case .wait: break
    case .begin(let number): begin(number, key, Self.origin(of: url))
    }
    return nil
  }

  /// - Parameter origin: what is asked about; nil for a URL without a host, which has no proxy.
  private func begin(_ number: Int, _ key: String, _ origin: String?) {
    DispatchQueue.global().asyncAfter(deadline: .now() + timeLimit.dispatchInterval) {
      let waiting = self.memory.withLock { $0.expired(number, key, at: .now) }
      guard !waiting.isEmpty else { return }
      StorageWarning.write(
        "the system's proxy settings (libproxy) were not answered within \(self.timeLimit); connections are direct meanwhile"
      )
      for take in waiting { take([nil]) }
    }
    pool.run {
      let texts = origin.flatMap { origin in self.opened().map { $0(origin) } }
      let proxies = SystemProxyList.candidates(texts ?? [])
      let waiting = self.memory.withLock { $0.answered(number, key, proxies, at: .now) }
      for take in waiting { take(proxies) }
    }
  }

  private func opened() -> Ask? {
    ask.withLock { state in
      if case .done(let ask) = state { return ask }
      let ask = opening()
      if ask == nil { absent.store(true, ordering: .relaxed) }
      state = .done(ask)
      return ask
    }
  }

  /// What stands before a URL's path. Every load asks by it, and only one in many needs the URL taken apart.
  private static func key(of url: URL) -> String {
    url.absoluteString.withBytes { text in
      var slashes = 0
      let end = text.firstIndex { byte in
        if byte == UInt8(ascii: "/") { slashes += 1 }
        return slashes == 3 || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
      }
      return String(decoding: text[..<(end ?? text.endIndex)], as: UTF8.self)
    }
  }

  /// The part of a URL that proxies go by: paths and passwords are no business of the system's scripts.
  private static func origin(of url: URL) -> String? {
    guard let scheme = url.scheme?.lowercased(), let host = url.host(percentEncoded: true), !host.isEmpty else {
      return nil
    }
    let bare = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
    return "\(scheme)://\(bare.lowercased())\(url.port.map { ":\($0)" } ?? "")/"
  }
}
