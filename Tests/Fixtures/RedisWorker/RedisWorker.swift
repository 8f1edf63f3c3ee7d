import Foundation
import URLLoading
import URLLoadingRedis

/// Loads numbered URLs through a cache on Redis, each once, and says how many bodies were right.
///
///     URLLoadingRedisWorker REDIS ORIGIN COUNT AT_ONCE [LEASE]
///
/// LEASE counts milliseconds.
@main
enum RedisWorker {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 5 || arguments.count == 6, let redis = URL(string: arguments[1]),
      let origin = URL(string: arguments[2]),
      let count = Int(arguments[3]), let atOnce = Int(arguments[4])
    else { return print("usage: REDIS ORIGIN COUNT AT_ONCE [LEASE]") }
    var options = RedisCacheStore.Options()
    if arguments.count == 6 { options.lease = .milliseconds(Int(arguments[5]) ?? 0) }
    let configuration = URLSessionConfiguration.ephemeral
    configuration.connectionProxyDictionary = [:]
    configuration.httpMaximumConnectionsPerHost = atOnce
    configuration.urlCache = URLCache(store: try RedisCacheStore(url: redis, options: options), memoryCapacity: 0)
    let session = URLSession(configuration: configuration)
    let numbers = (0..<count).shuffled()
    print("begins")
    fflush(nil)
    let right = await withTaskGroup(of: Int.self) { group in
      for worker in 0..<atOnce {
        let own = stride(from: worker, to: count, by: atOnce).map { numbers[$0] }
        group.addTask { await load(own, from: origin, in: session) }
      }
      var right = 0
      for await count in group { right += count }
      return right
    }
    print("right \(right)")
  }

  /// - Returns: how many bodies were right.
  private static func load(_ numbers: [Int], from origin: URL, in session: URLSession) async -> Int {
    var right = 0
    for number in numbers {
      do {
        let (data, _) = try await session.data(from: origin.appendingPathComponent("\(number)"))
        if String(decoding: data, as: UTF8.self) == "body of /\(number)" { right += 1 }
      } catch {
        print("failed: \(error)")
      }
    }
    return right
  }
}
