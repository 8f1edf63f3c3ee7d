import URLLoading
import URLLoadingTestServers

/// What is behind `mutant:` URLs.
enum MutantStore {
  struct Item: Sendable {
    var bytes: Data
    var version: Int
    var loads = 0
  }

  private static let items = Watched<[URL: Item]>([:])

  static func put(_ bytes: Data, at url: URL, appending: Bool = false) {
    items.update { items in
      let old = items[url]
      items[url] = Item(
        bytes: (appending ? old?.bytes ?? Data() : Data()) + bytes, version: (old?.version ?? 0) + 1)
    }
  }

  static func item(at url: URL?) -> Item? {
    guard let url else { return nil }
    return items.update { items in
      items[url]?.loads += 1
      return items[url]
    }
  }
}
