#if DEBUG
import Glibc

/// What a debug build knows of the calling thread: the ranks of the locks that it holds.
@usableFromInline
enum LockOrder {
  /// Of the thread's own word, which has a bit for each rank that is held; nil where the process can have no more of them.
  private static let key: pthread_key_t? = {
    var key = pthread_key_t()
    return pthread_key_create(&key, nil) == 0 ? key : nil
  }()

  /// The calling thread takes a lock. Ends the process where the order is broken.
  /// - Parameters:
  ///   - rank: the lock's; nil where it has none, and is not checked.
  ///   - waits: whether the thread waits for the lock: who does not wait is in no deadlock.
  /// - Returns: what it held before, for ``give(back:)``.
  @usableFromInline
  static func take(_ rank: LockRank?, waits: Bool = true) -> UInt? {
    guard let rank, let key else { return nil }
    let held = UInt(bitPattern: pthread_getspecific(key))
    // The last of those that are held: the highest bit.
    let last = LockRank(rawValue: UInt8(max(0, UInt.bitWidth - 1 - held.leadingZeroBitCount)))
    // The release of an instance, under its load's lock, may cancel the task of another load that it has.
    if waits, held != 0, let last, last.rawValue >= rank.rawValue, (last, rank) != (.load, .load) {
      // In debug builds alone, and by a mistake of this package alone: no input comes here. A release build would hang, at some later time.
      // With its words also in the optimized builds of the sanitizers.
      fatalError("Locks out of order: '\(rank)' is taken while '\(last)' is held.")
    }
    pthread_setspecific(key, UnsafeRawPointer(bitPattern: held | 1 << UInt(rank.rawValue)))
    return held
  }

  /// The calling thread gives the lock back that it has taken last.
  @usableFromInline
  static func give(back held: UInt?) {
    if let key, let held { pthread_setspecific(key, UnsafeRawPointer(bitPattern: held)) }
  }
}
#endif
