import Foundation
import URLLoading

/// Loads through a cache on disk.
enum CacheCommand {
  /// How loads of numbered URLs went.
  private struct Outcome {
    var right = 0
    /// How many came from the cache, of the bodies that are rows of its index, and of those that are files.
    var (smallHits, largeHits) = (0, 0)
  }

  /// Loads a URL several times, and says of each load how many bytes came, and whether from the cache.
  static func run(url: String, folder: String, count: String) async {
    guard let url = URL(string: url), let count = Int(count) else { return say("no URL") }
    let session = session(in: folder, memory: 4_000_000)
    for _ in 0..<count {
      do {
        let (data, response) = try await session.data(from: url)
        say("\(isHit(response) ? "hit" : "loaded") \(data.count)")
      } catch {
        say("failed: \(error)")
      }
    }
    await session.flush()
  }

  /// Downloads a URL twice, to files whose names end with 1 and 2.
  static func downloads(url: String, folder: String, target: String) async {
    guard let url = URL(string: url) else { return say("no URL") }
    let session = session(in: folder, memory: 4_000_000)
    for number in 1...2 {
      do {
        let (file, response) = try await session.download(from: url)
        guard rename(file.path, "\(target)\(number)") == 0 else { return say("rename failed: \(errno)") }
        say("\(isHit(response) ? "hit" : "loaded") \(number)")
      } catch {
        say("failed: \(error)")
      }
    }
    say(PeakMemory.line)
  }

  /// Loads `/1` to `/60` twice while the cache has hardly room, and twice when it has room again.
  /// - Parameter bytes: what a file may have; 0 where the disk itself is small, and is filled but for 300 KB.
  static func limited(url: String, folder: String, bytes: String) async {
    guard let base = URL(string: url), let bytes = UInt(bytes) else { return say("no URL") }
    let cache = URLCache(memoryCapacity: 0, diskCapacity: 400_000_000, directory: place(folder))
    let session = session(cache)
    // The index is there before its disk is full.
    _ = await load(0...0, from: base, in: session)
    _ = cache.currentDiskUsage
    let ballast = "\(folder)/ballast"
    guard bytes > 0 ? limitFiles(to: bytes) : fill(ballast, leaving: 300_000) else { return say("no limit") }
    let (first, second) = (await load(1...60, from: base, in: session), await load(1...60, from: base, in: session))
    say("limited \(first.right + second.right) \(second.smallHits) \(second.largeHits)")
    guard bytes > 0 ? limitFiles(to: nil) : unlink(ballast) == 0 else { return say("the limit stays") }
    let (third, fourth) = (await load(1...60, from: base, in: session), await load(1...60, from: base, in: session))
    say("free \(third.right + fourth.right) \(fourth.smallHits) \(fourth.largeHits)")
  }

  private static func load(_ numbers: ClosedRange<Int>, from base: URL, in session: URLSession) async -> Outcome {
    var outcome = Outcome()
    for number in numbers {
      do {
        let (data, response) = try await session.data(from: base.appending(path: "\(number)"))
        let isSmall = number % 2 == 1
        // What the server gives.
        if data == Data(repeating: UInt8(number), count: isSmall ? 10_000 : 350_000) { outcome.right += 1 }
        guard isHit(response) else { continue }
        if isSmall { outcome.smallHits += 1 } else { outcome.largeHits += 1 }
      } catch {
        say("failed: \(error)")
      }
    }
    return outcome
  }

  /// The server sends no Age.
  private static func isHit(_ response: URLResponse) -> Bool {
    (response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Age") != nil
  }

  private static func place(_ folder: String) -> URL {
    URL(fileURLWithPath: folder, isDirectory: true).appending(path: "cache")
  }

  private static func session(in folder: String, memory: Int) -> URLSession {
    session(URLCache(memoryCapacity: memory, diskCapacity: 8_000_000_000, directory: place(folder)))
  }

  private static func session(_ cache: URLCache) -> URLSession {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.connectionProxyDictionary = [:]
    configuration.urlCache = cache
    return URLSession(configuration: configuration)
  }

  // MARK: Room

  /// - Parameter bytes: nil for as many as before.
  private static func limitFiles(to bytes: UInt?) -> Bool {
    signal(SIGXFSZ, SIG_IGN)
    let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0 else { return false }
    limit.rlim_cur = bytes ?? limit.rlim_max
    return setrlimit(resource, &limit) == 0
  }

  private static func fill(_ path: String, leaving room: Int) -> Bool {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard file >= 0 else { return false }
    defer { close(file) }
    let block = [UInt8](repeating: 1, count: 1 << 16)
    var length = 0
    while case let count = write(file, block, block.count), count > 0 { length += count }
    return errno == ENOSPC && ftruncate(file, off_t(max(0, length - room))) == 0
  }
}
