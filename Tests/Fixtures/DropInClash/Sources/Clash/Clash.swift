import CBlockCache
import Foundation
import FoundationNetworking
import URLLoadingBase

/// A program with code of its own under names that the library has inside.
@main struct Clash {
  static func main() async throws {
    guard let url = URL(string: CommandLine.arguments[1]) else { return }
    let (data, _) = try await URLSession.shared.data(from: url)
    print(data.count, block_cache_malloc(), immediate_read(), PackageVersion.current)
  }
}
