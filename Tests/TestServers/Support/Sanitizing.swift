import Foundation

/// Whether the tests run under a sanitizer, as `make sanitize` says: its shadow memory counts as resident, and it cannot
/// work under a limit of file sizes.
package enum Sanitizing {
  package static var isOn: Bool { ProcessInfo.processInfo.environment["URL_LOADING_SANITIZING"] != nil }
}
