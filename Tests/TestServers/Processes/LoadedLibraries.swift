import Foundation
internal import URLLoadingCLinux

/// The libraries that this process stands on, for programs that are to stand on them, too: what chose them is not in its environment any more.
package enum LoadedLibraries {
  /// Variables that have a program load the libraries of this one; none where they are the system's.
  package static let environment: [String: String?] = {
    guard let path = library_with_symbol("curl_version") else { return [:] }
    let folder = URL(fileURLWithPath: String(cString: path)).deletingLastPathComponent().path
    return folder.hasPrefix("/usr/lib") || folder.hasPrefix("/lib") ? [:] : ["LD_LIBRARY_PATH": folder]
  }()
}
