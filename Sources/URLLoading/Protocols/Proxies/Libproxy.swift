import Glibc
internal import URLLoadingBase

/// libproxy, opened at run time, so that no program links it.
///
/// Mutable state: `factory`, guarded by its lock: not every version of libproxy answers two threads at once.
// Safe to share: pointers to functions, and the factory under its lock; it is never freed.
final class Libproxy: @unchecked Sendable {
  private typealias List = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

  private let makeFactory: @convention(c) () -> UnsafeMutableRawPointer?
  private let getProxies: @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?) -> UnsafeMutableRawPointer?
  private let freeProxies: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?
  private let factory = Locked(Factory())

  private struct Factory { var pointer: UnsafeMutableRawPointer? }

  /// Nil where there is no such library.
  init?(_ name: String) {
    guard let handle = SystemLibrary.open(name), let make = dlsym(handle, "px_proxy_factory_new"),
      let get = dlsym(handle, "px_proxy_factory_get_proxies")
    else { return nil }
    makeFactory = unsafeBitCast(make, to: (@convention(c) () -> UnsafeMutableRawPointer?).self)
    getProxies = unsafeBitCast(
      get, to: (@convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?) -> UnsafeMutableRawPointer?).self)
    // Since 0.4.16.
    freeProxies = dlsym(handle, "px_proxy_factory_free_proxies").map {
      unsafeBitCast($0, to: (@convention(c) (UnsafeMutableRawPointer?) -> Void).self)
    }
  }

  /// The proxies for a URL. It may block for as long as its modules like.
  func proxies(for url: String) -> [String] {
    factory.withLock { factory in
      if factory.pointer == nil { factory.pointer = makeFactory() }
      guard let pointer = factory.pointer, let result = getProxies(pointer, url) else { return [] }
      let list = result.assumingMemoryBound(to: UnsafeMutablePointer<CChar>?.self)
      var texts: [String] = []
      while let text = list[texts.count] { texts.append(String(cString: text)) }
      if let freeProxies {
        freeProxies(result)
      } else {
        for index in texts.indices { free(list[index]) }
        free(result)
      }
      return texts
    }
  }
}
