import Glibc
internal import URLLoadingCLinux

/// What the system has none left of for the moment: the same call may succeed later.
package enum SystemShortage {
  /// Whether an error's number says that there is no descriptor, no memory or no buffer.
  package static func isOne(_ error: Int32) -> Bool {
    switch error {
    case EMFILE, ENFILE, ENOMEM, ENOBUFS: true
    default: false
    }
  }

  /// The shortage that keeps this process from opening anything at the moment; nil for none. For failures of libraries that do not say
  /// why they could not open something.
  package static var ofDescriptors: Int32? {
    let descriptor = eventfd(0, Int32(EFD_CLOEXEC))
    guard descriptor < 0 else {
      close(descriptor)
      return nil
    }
    return isOne(errno) ? errno : nil
  }
}
