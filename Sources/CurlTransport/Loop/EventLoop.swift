import Glibc
import Synchronization
internal import URLLoadingBase
internal import URLLoadingCCurl
internal import URLLoadingCLinux

/// The thread that moves all bytes: it waits with epoll for sockets, deadlines and posted work.
///
/// The loop is a serial executor, so that an actor can be confined to its thread and the compiler
/// checks what touches the actor's state. Code that runs here must not block.
// Mutable state, and what guards it:
// - `inbox`: its lock. Any thread appends; the loop thread takes everything out once a turn.
// - `hasPosted`: atomic; set under the lock of `inbox` by whoever appends, and cleared under it by the loop thread,
//   which alone reads it without.
// - `isAsleep`: atomic; set under that lock by the loop thread, cleared under it by whoever appends, and without it by the loop thread when it
//   has woken. One who has read it just before writes one wake-up too many.
// - `reactor`, `ownPosts`, `batch`, `resumptions`, `resumed`, `handovers`: the loop thread alone, but for waking it, which writes to a
//   descriptor that stays.
// - `thread`: atomic; the thread itself writes it, once.
// - `isStarted`: atomic; set under the lock `starting`, under which the thread is made, with what it waits with.
// Safe to share: other threads touch `inbox`, under its lock, the atomic values, and the part of `reactor` that wakes it.
package final class EventLoop: SerialExecutor, @unchecked Sendable {
  /// The loop of this process. Its first use starts it, and it never ends. Where the system has no thread or descriptor for it, that use
  /// fails, and the next one tries again.
  package static let shared = EventLoop(name: "url-transfers")

  /// The loop for FTP. libcurl waits for the end of an FTP transfer to be confirmed, and blocks its thread meanwhile:
  /// that must not hold up anything else.
  static let ftp = EventLoop(name: "url-ftp", mayBlock: true)

  enum Entry {
    /// Of an actor that is isolated to the loop.
    case job(UnownedJob)
    /// Of a task that prefers ``LoopTaskExecutor``.
    case taskJob(UnownedJob)
    case closure(@Sendable () -> Void)
    /// One to begin with.
    case transfer(Transfer)
  }

  private static let currentKey: pthread_key_t? = {
    var key = pthread_key_t()
    return pthread_key_create(&key, nil) == 0 ? key : nil
  }()

  /// The loop whose thread the caller runs on; nil on others. Asking starts no loop.
  static var current: EventLoop? {
    currentKey.flatMap { pthread_getspecific($0) }.map { Unmanaged<EventLoop>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Whether the caller runs on a loop's thread.
  package static var isCurrent: Bool { current != nil }

  /// What the loop waits for. Only code that runs on the loop may touch it.
  let reactor: Reactor

  /// Room for entries that is kept from turn to turn.
  private static let keptCapacity = 4096

  private let name: StaticString
  private let mayBlock: Bool
  private let inbox = Locked<[Entry]>([], rank: .loop)
  /// Whether there may be something in `inbox`.
  private let hasPosted = Atomic(false)
  /// True while the thread is, or is about to be, in `epoll_wait` without a reason to return.
  private let isAsleep = Atomic(false)
  // A load has a dozen accesses to these five, and a check of one costs it 70 instructions. Debug builds, and so the tests, check that no two
  // overlap.
  /// Work that the loop's thread has posted itself, while there was none of others: a load of a task on ``LoopTaskExecutor`` takes 12 of its
  /// atomic operations less.
  #if !DEBUG
  @exclusivity(unchecked)
  #endif
  private var ownPosts: [Entry] = []
  /// What is being done of the posted work, in reverse order.
  #if !DEBUG
  @exclusivity(unchecked)
  #endif
  private var batch: [Entry] = []
  /// Continuations of `async` functions whose transfers have ended in this turn, resumed in a batch. One by one they would compete with the
  /// loop for processors and memory while it reads the other sockets.
  #if !DEBUG
  @exclusivity(unchecked)
  #endif
  private var resumptions: [UnsafeContinuation<Void, Never>] = []
  /// Those that are being resumed, in reverse order; else empty, with its memory kept.
  #if !DEBUG
  @exclusivity(unchecked)
  #endif
  private var resumed: [UnsafeContinuation<Void, Never>] = []
  /// Work for other threads that was deferred in this turn.
  #if !DEBUG
  @exclusivity(unchecked)
  #endif
  private var handovers: [@Sendable () -> Void] = []
  private let thread = Atomic<pthread_t>(0)
  private let isStarted = Atomic(false)
  private let starting = Locked(())

  private init(name: StaticString, mayBlock: Bool = false) {
    self.name = name
    self.mayBlock = mayBlock
    reactor = Reactor()
  }

  /// Starts the thread, unless it runs. Whoever waits for what he posts asks first: posted work stays until a later call succeeds.
  /// - Returns: 0 where it runs, else the number of the system's error.
  package func start() -> Int32 {
    if isStarted.load(ordering: .acquiring) { return 0 }
    return starting.withLock { _ in
      if isStarted.load(ordering: .acquiring) { return 0 }
      let result = makeThread()
      if result == 0 { isStarted.store(true, ordering: .releasing) }
      return result
    }
  }

  private func makeThread() -> Int32 {
    let error = reactor.openDescriptors()
    guard error == 0 else { return error }
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    // Half a millisecond here. On the new thread, with the caller at work in the same memory, it takes twice as long, and the first
    // transfer waits for it all the same.
    _ = CurlLibrary.shared
    let context = Unmanaged.passRetained(self)
    var new = pthread_t()
    let result = pthread_create(
      &new, &attributes,
      { context in
        guard let context else { return nil }
        Unmanaged<EventLoop>.fromOpaque(context).takeRetainedValue().run()
      }, context.toOpaque())
    pthread_attr_destroy(&attributes)
    if result != 0 { context.release() }
    return result
  }

  // MARK: Posting work

  /// Runs `work` on the loop's thread, after everything posted before it. Never runs it at once.
  package func execute(_ work: @escaping @Sendable () -> Void) {
    execute(.closure(work))
  }

  /// Runs an entry on the loop's thread, after everything posted before it. Never runs it at once.
  func execute(_ entry: consuming Entry) {
    if isCurrentThread, !hasPosted.load(ordering: .acquiring) { return ownPosts.append(consume entry) }
    let mustWake = inbox.withLock { inbox in
      inbox.append(copy entry)
      hasPosted.store(true, ordering: .releasing)
      defer { isAsleep.store(false, ordering: .relaxed) }
      return isAsleep.load(ordering: .relaxed)
    }
    if mustWake { reactor.wake() } else { _ = start() }
  }

  /// Runs a job of an actor that is isolated to this loop.
  package func enqueue(_ job: consuming ExecutorJob) {
    execute(.job(UnownedJob(job)))
  }

  /// Runs a job of a task that prefers ``LoopTaskExecutor``.
  func enqueue(taskJob job: UnownedJob) {
    execute(.taskJob(job))
  }

  /// Traps unless it is called on the loop's thread.
  package func checkIsolated() {
    precondition(isCurrentThread, "not on the transfer loop's thread")
  }

  /// The same question, as the language's runtime asks it.
  package func isIsolatingCurrentContext() -> Bool? { isCurrentThread }

  /// Whether the caller runs on the loop's thread.
  package var isCurrentThread: Bool { pthread_self() == thread.load(ordering: .relaxed) }

  /// Resumes a continuation: on a loop's thread at the end of the turn, in a batch with others; elsewhere at once.
  package static func resume(_ continuation: UnsafeContinuation<Void, Never>) {
    guard let key = currentKey, let loop = pthread_getspecific(key) else { return continuation.resume() }
    Unmanaged<EventLoop>.fromOpaque(loop)._withUnsafeGuaranteedRef { $0.resumptions.append(continuation) }
  }

  /// Calls `handover`, which gives work to another thread: at the end of the loop's turn, by when there may be more of that work; at once on
  /// other threads, and where the turn may block.
  package static func handOver(_ handover: @escaping @Sendable () -> Void) {
    guard let loop = current, !loop.mayBlock else { return handover() }
    loop.handovers.append(handover)
  }

  // MARK: The thread

  private func setUpThread() {
    thread.store(pthread_self(), ordering: .relaxed)
    name.withUTF8Buffer { name_thread(UnsafeRawPointer($0.baseAddress)?.assumingMemoryBound(to: CChar.self)) }
    // Signals are the application's: none is handled here, and a write to a closed socket is an error code.
    var signals = sigset_t()
    sigfillset(&signals)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    if let key = Self.currentKey { pthread_setspecific(key, Unmanaged.passUnretained(self).toOpaque()) }
    reactor.open()
  }

  private func run() -> Never {
    setUpThread()
    // One reference for all turns.
    let reactor = reactor
    while true {
      reactor.reap()
      // Completions often post the next transfer. A few rounds of that are cheaper than a call of epoll_wait for each.
      for _ in 0..<4 {
        let hasWork = takePostedWork()
        // Taken from the end an entry is moved, and the array keeps its memory: a load takes 30 of its atomic operations less than where
        // the arrays are iterated over and emptied.
        batch.reverse()
        while let entry = batch.popLast() {
          switch entry {
          case .closure(let work): work()
          case .transfer(let transfer): transfer.run()
          case .job(let job): job.runSynchronously(on: asUnownedSerialExecutor())
          case .taskJob(let job): job.runSynchronously(on: LoopTaskExecutor.shared.asUnownedTaskExecutor())
          }
        }
        if batch.capacity > Self.keptCapacity { batch = [] }
        reactor.fireDeadlines()
        reactor.reap()
        if !hasWork { break }
      }
      reactor.applyInterest()
      // Taken first: an executor of the application's may run a job at once, and that may resume another.
      swap(&resumptions, &resumed)
      resumed.reverse()
      while let continuation = resumed.popLast() { continuation.resume() }
      if resumed.capacity > Self.keptCapacity { resumed = [] }
      if !handovers.isEmpty { for handover in exchange(&handovers, with: []) { handover() } }
      let canSleep = inbox.withLock { inbox in
        // Code of the application's may have run meanwhile.
        let canSleep = inbox.isEmpty && ownPosts.isEmpty && resumptions.isEmpty && handovers.isEmpty
        isAsleep.store(canSleep, ordering: .relaxed)
        return canSleep
      }
      reactor.wait(canSleep: canSleep)
      // From here on, posted work runs in this iteration, without a wake-up.
      isAsleep.store(false, ordering: .relaxed)
      reactor.dispatch()
    }
  }

  /// Moves posted work to `batch`; false where there is none.
  private func takePostedWork() -> Bool {
    // Posted ahead of what is in the inbox.
    swap(&ownPosts, &batch)
    // Most often there is nothing: a load takes 6 of its atomic operations less.
    guard hasPosted.load(ordering: .acquiring) else { return !batch.isEmpty }
    inbox.withLock { inbox in
      if batch.isEmpty {
        swap(&inbox, &batch)
      } else {
        batch += inbox
        inbox.removeAll()
      }
      hasPosted.store(false, ordering: .relaxed)
    }
    return !batch.isEmpty
  }
}
