import Dispatch
import Foundation

/// What all clients have in common as programs.
public enum Program {
  /// Runs a client's work and waits for it; tells what it throws in one line, and ends the process.
  ///
  /// The main thread waits in a semaphore: a `main` that is asynchronous makes Dispatch suspend a thread with a signal mask that
  /// cannot be written, on which valgrind 3.19 crashes.
  public static func run(_ body: @escaping @Sendable () async throws -> Void) {
    let done = DispatchSemaphore(value: 0)
    Task.detached {
      do {
        try await body()
      } catch {
        // An error that is made elsewhere may have its only words here.
        let words = (error as NSError).userInfo[NSLocalizedDescriptionKey] as? String ?? "\(error)"
        FileHandle.standardError.write(Data("error: \(words)\n".utf8))
        exit(1)
      }
      done.signal()
    }
    done.wait()
  }
}
