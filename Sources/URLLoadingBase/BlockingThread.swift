import Foundation
internal import URLLoadingCLinux

/// Threads for work that blocks.
///
/// Where the system has no thread, Foundation's `Thread` loses the work without a word. Here Dispatch runs it: on an idle thread of its own,
/// or when there is one to be had.
package enum BlockingThread {
  private final class Work: Sendable {
    let name: String
    let body: @Sendable () -> Void

    init(_ name: String, _ body: @escaping @Sendable () -> Void) {
      self.name = name
      self.body = body
    }
  }

  /// Runs `body` on a new thread.
  /// - Parameters:
  ///   - name: for debuggers.
  ///   - stackSize: in bytes; nil for the system's.
  package static func run(name: String, stackSize: Int? = nil, _ body: @escaping @Sendable () -> Void) {
    if start(Work(name, body), stackSize) != 0 { DispatchQueue.global().async(execute: body) }
  }

  /// - Returns: 0, or the number of the system's error.
  private static func start(_ work: Work, _ stackSize: Int?) -> Int32 {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    if let stackSize { pthread_attr_setstacksize(&attributes, stackSize) }
    let context = Unmanaged.passRetained(work)
    var thread = pthread_t()
    let error = pthread_create(
      &thread, &attributes,
      { context in
        guard let context else { return nil }
        let work = Unmanaged<Work>.fromOpaque(context).takeRetainedValue()
        work.name.withCString { name_thread($0) }
        work.body()
        return nil
      }, context.toOpaque())
    if error != 0 { context.release() }
    return error
  }
}
