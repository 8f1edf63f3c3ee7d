import Foundation
package import URLLoadingBase
internal import URLLoadingCOpenSSL

/// The roots that chains are verified up to: a file of certificates in PEM form, a folder of them named by hash, or both.
package struct TrustedAuthorities: Sendable, Hashable {
  package var file: String?
  /// Several folders are separated by colons.
  package var directory: String?

  package init(file: String?, directory: String?) {
    self.file = file
    self.directory = directory
  }

  /// What cannot be read.
  package struct Unreadable: Error, Equatable {
    package let path: String
  }

  /// The roots, as they were at the last look at their files. The result is shared with others.
  ///
  /// - Parameters:
  ///   - age: how old that look may be: zero for a new one. What has changed since the files were read is read anew.
  ///   - now: the time.
  package func roots(
    notOlderThan age: Duration = .zero, at now: MonotonicInstant = .now
  ) throws(Unreadable) -> RootStore {
    guard let store = current(notOlderThan: age, at: now) else { throw Unreadable(path: file ?? directory ?? "") }
    if let path = store.unreadable { throw Unreadable(path: path) }
    return store
  }

  /// The store of roots, of those at least that can be read. Counts a reference more.
  func retainedStore() -> OpaquePointer? {
    guard let store = current(notOlderThan: .zero, at: .now) else { return nil }
    return withExtendedLifetime(store) {
      X509_STORE_up_ref(store.pointer)
      return store.pointer
    }
  }

  /// A new store with these roots; without any where they cannot be read.
  func newStore() -> OpaquePointer? { makeStore()?.pointer }

  private func current(notOlderThan age: Duration, at now: MonotonicInstant) -> RootStore? {
    Self.known.withLock { known in
      let last = known[self]
      if let last, last.look.advanced(by: age) > now { return last.store }
      // Looked at first: what changes while it is read is read again after the next look.
      let files = AuthorityFiles(of: self)
      if let last, last.files.areUnchanged(in: files) {
        known[self]?.look = now
        return last.store
      }
      guard let (pointer, unreadable) = makeStore() else { return nil }
      let store = RootStore(owning: pointer, folders: files.folders, unreadable: unreadable)
      // What could not be read may be readable the next time: the process may have had no descriptor left.
      guard unreadable == nil else { return store }
      if last == nil, known.count >= Self.largestCount, let oldest = known.min(by: { $0.value.look < $1.value.look }) {
        known[oldest.key] = nil
      }
      known[self] = Entry(store: store, files: files, look: now)
      return store
    }
  }

  /// - Returns: the store, with the path of what could not be read.
  private func makeStore() -> (pointer: OpaquePointer, unreadable: String?)? {
    guard let store = X509_STORE_new() else { return nil }
    // As libcurl has it: a chain may end at any certificate that is trusted, as few of the server's as possible are needed.
    X509_STORE_set_flags(store, UInt(X509_V_FLAG_TRUSTED_FIRST | X509_V_FLAG_PARTIAL_CHAIN))
    var unreadable: String?
    if file == nil, directory == nil {
      if X509_STORE_set_default_paths(store) != 1 { unreadable = "" }
    } else {
      if let file, X509_STORE_load_file(store, file) != 1 { unreadable = file }
      if let directory, X509_STORE_load_path(store, directory) != 1 { unreadable = unreadable ?? directory }
    }
    ERR_clear_error()
    return (store, unreadable)
  }

  private struct Entry {
    let store: RootStore
    let files: AuthorityFiles
    /// When the files were last looked at.
    var look: MonotonicInstant
  }

  /// Reading a system's roots takes 10 to 20 ms.
  private static let known = Locked<[TrustedAuthorities: Entry]>([:])
  private static let largestCount = 16
}
