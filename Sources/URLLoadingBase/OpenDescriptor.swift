import Glibc

/// A descriptor that is closed with the last reference to it.
package final class OpenDescriptor: Sendable {
  package let number: Int32

  package init(_ number: Int32) { self.number = number }

  deinit { if number >= 0 { close(number) } }
}
