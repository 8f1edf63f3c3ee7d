import Foundation
import URLLoading

/// Reads a resource at random positions, or all of it.
enum RandomAccessCommand {
  /// Reads a resource from its beginning to its end, so many bytes at a time, with calls that block.
  static func readAll(url: String, piece: String) async {
    guard let url = URL(string: url), let piece = Int(piece) else { return say("no URL") }
    do {
      let resource = try await URLSession.shared.randomAccess(to: url)
      let start = ContinuousClock.now
      let count = try await onThread {
        let reader = resource.makeReader()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: piece, alignment: 64)
        defer { buffer.deallocate() }
        var position: Int64 = 0
        while true {
          let count = try reader.read(into: buffer, at: position)
          if count == 0 { return position }
          position += Int64(count)
        }
      }
      say("read \(count)")
      say("milliseconds \((ContinuousClock.now - start) / .milliseconds(1))")
    } catch {
      say("failed: \(error)")
    }
    say(PeakMemory.line)
  }

  /// Opens a resource with a limit on the size of files, and reads its end.
  static func limited(url: String, bytes: String) async {
    guard let url = URL(string: url), let bytes = UInt(bytes) else { return say("no URL") }
    signal(SIGXFSZ, SIG_IGN)
    var limit = rlimit(rlim_cur: bytes, rlim_max: bytes)
    setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    do {
      let resource = try await URLSession.shared.randomAccess(to: url)
      say("read \(try await resource.read(at: resource.length - 1, count: 1).count)")
    } catch {
      let underlying = (error as NSError).userInfo[NSUnderlyingErrorKey] as? POSIXError
      say("error \((error as NSError).code) \(underlying?.code.rawValue ?? 0)")
    }
  }

  /// Runs what blocks on a thread of its own.
  private static func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
    }
  }
}
