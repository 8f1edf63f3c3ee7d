/// A ``Locked`` whose values and results may be of any type: the compiler does not check what goes in and comes out.
///
/// For what is not `Sendable` and used right all the same. Each use says in a comment why.
@frozen
@usableFromInline
package struct UncheckedLocked<Value>: ~Copyable, Sendable {
  // The lock guards `content` where this is the value; as a result it is unpacked at once, on the caller's thread. Whether a reference in it is
  // used elsewhere at the same time is what each use of the lock answers for.
  @usableFromInline
  struct Carried<Content>: @unchecked Sendable {
    @usableFromInline var content: Content

    @inlinable
    init(_ content: Content) {
      self.content = content
    }
  }

  @usableFromInline let lock: Locked<Carried<Value>>

  /// - Parameter rank: see ``Locked``.
  @inlinable
  package init(_ value: consuming Value, rank: LockRank? = nil) {
    lock = Locked(Carried(value), rank: rank)
  }

  /// Runs `body` with exclusive access to the value. Never call out to user code from inside.
  @inlinable
  package borrowing func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try lock.withLock { value throws(Failure) in
      Carried(try body(&value.content))
    }.content
  }
}
