import Foundation
internal import URLLoadingCTestEnvironment

/// The directories in which tests, and the programs that they start, keep what lasts.
///
/// Everything that uses this module has them: the C target below makes them before `main`, and the reference to it here keeps the linker
/// from leaving it out.
package enum TestEnvironment {
  /// The directory that has the XDG directories of this process; it is removed at exit.
  package static var directory: String { String(cString: url_loading_test_directory()) }
}
