import URLLoading

/// What is behind `memory:` URLs, for as long as the program runs.
actor MemoryStore {
  struct Item: Sendable {
    let bytes: Data
    let validators: ResourceValidators
  }

  static let shared = MemoryStore()

  private var items: [URL: Item] = [:]
  private var version = 0

  func item(at url: URL) -> Item? { items[url] }

  /// - Returns: what was there.
  func remove(_ url: URL) -> Item? { items.removeValue(forKey: url) }

  /// Every version has an entity tag that no other has: so downloads resume, and never mix two versions.
  func put(_ bytes: Data, at url: URL) {
    version += 1
    items[url] = Item(bytes: bytes, validators: ResourceValidators(entityTag: "\"\(version)\"", lastModified: Date()))
  }
}
