import Foundation
internal import URLLoadingBase
internal import URLLoadingCOpenSSL

/// The roots that chains are verified up to: a file of certificates in PEM form, a folder of them named by hash, or both.
package struct TrustedAuthorities: Sendable, Hashable {
  package var file: String?
  package var directory: String?

  package init(file: String?, directory: String?) {
    self.file = file
    self.directory = directory
  }

  /// A store that is shared with others, of whom nobody may change it. Counts a reference more.
  func retainedStore() -> OpaquePointer? {
    Self.stores.withLock { stores in
      let key = Key(authorities: self, changed: modificationTime)
      if let known = stores[key] {
        X509_STORE_up_ref(known.pointer)
        return known.pointer
      }
      guard let (made, isWhole) = makeStore() else { return nil }
      // What could not be read may be readable the next time: the process may have had no descriptor left.
      guard isWhole else { return made }
      if stores.count >= Self.largestCount { stores.removeAll() }
      X509_STORE_up_ref(made)
      stores[key] = Store(owning: made)
      return made
    }
  }

  /// A new store with these roots; without any where they cannot be read.
  func newStore() -> OpaquePointer? { makeStore()?.pointer }

  private func makeStore() -> (pointer: OpaquePointer, isWhole: Bool)? {
    guard let store = X509_STORE_new() else { return nil }
    var isWhole = true
    if file == nil, directory == nil {
      isWhole = X509_STORE_set_default_paths(store) == 1
    } else {
      if let file { isWhole = X509_STORE_load_file(store, file) == 1 }
      if let directory { isWhole = X509_STORE_load_path(store, directory) == 1 && isWhole }
    }
    ERR_clear_error()
    return (store, isWhole)
  }

  private struct Key: Hashable {
    var authorities: TrustedAuthorities
    var changed: Int
  }

  /// When the file was changed, so that another in its place is read.
  private var modificationTime: Int {
    var status = stat()
    guard let file, stat(file, &status) == 0 else { return 0 }
    return status.st_mtim.tv_sec &* 1_000_000_000 &+ status.st_mtim.tv_nsec
  }

  // Safe to share: OpenSSL locks its stores, and counts references atomically.
  private final class Store: @unchecked Sendable {
    let pointer: OpaquePointer
    init(owning pointer: OpaquePointer) { self.pointer = pointer }
    deinit { X509_STORE_free(pointer) }
  }

  /// Reading a system's roots takes 10 to 20 ms.
  private static let stores = Locked<[Key: Store]>([:])
  private static let largestCount = 8
}
