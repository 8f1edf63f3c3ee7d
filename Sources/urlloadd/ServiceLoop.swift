import Foundation
internal import URLLoadingBase
internal import URLLoadingCLinux

/// Hands work of other threads to the service's own, which waits for it beside its sockets.
///
/// Mutable state: `inbox`, guarded by its lock.
final class ServiceLoop: Sendable {
  /// What is done on the service's thread.
  struct Work: Sendable { let run: @Sendable (TransferService) -> Void }

  private let inbox = Locked<[Work]>([])
  /// Readable while there is work.
  let wakeDescriptor: Int32

  init() { wakeDescriptor = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK)) }

  deinit { close(wakeDescriptor) }

  /// Has the service's thread do something soon.
  func post(_ work: @escaping @Sendable (TransferService) -> Void) {
    let isFirst = inbox.withLock { inbox in
      inbox.append(Work(run: work))
      return inbox.count == 1
    }
    if isFirst { eventfd_write(wakeDescriptor, 1) }
  }

  /// Takes what is to be done.
  func take() -> [Work] {
    var count: eventfd_t = 0
    eventfd_read(wakeDescriptor, &count)
    return inbox.withLock { inbox in
      defer { inbox = [] }
      return inbox
    }
  }
}
