/// The place of a lock in the order in which locks are taken: a thread that holds one takes only those that come after it here.
///
/// For locks that are taken under others, or have others taken under them; "Threads and locks" in `DEVELOPERS.md` says which. A debug build
/// ends the process where the order is broken.
@frozen
@usableFromInline
package enum LockRank: UInt8, Sendable {
  case transferSession
  case backgroundSession
  case load
  case session
  case sharedCache
  case diskCaches
  case diskCacheIndex
  case diskCache
  case delivery
  case loadEvents
  case protocolDriver
  case networkChanges
  case sessionDeadlines
  case cookies
  case credentials
  case loop
  // Last: a sink, a task and a piece of a body may be released under any lock, and take their own then.
  case fileSink
  case fileExtent
  case bufferSink
  case taskRegistry
  case bodyMemory
}
