import Glibc
internal import URLLoadingCLinux

/// Libraries of the system, opened at run time, so that no program links them.
///
/// The dynamic linker looks for them in the folder of the running program, too, where that was linked so (`$ORIGIN`), and whoever may write
/// there would have his code run.
package enum SystemLibrary {
  /// Opens a library, from a folder where nobody but the user and root may have put it.
  /// - Parameter name: its soname, or a path, which is opened as it is.
  /// - Returns: nil where there is none.
  package static func open(_ name: String) -> UnsafeMutableRawPointer? {
    guard !name.contains("/") else { return dlopen(name, RTLD_NOW | RTLD_LOCAL) }
    // Those are the user's choice.
    let chosen = (ProcessEnvironment.value(of: "LD_LIBRARY_PATH") ?? "").split { $0 == ":" || $0 == ";" }.map(
      String.init)
    guard let paths = paths(of: name, in: folders, chosen: chosen) else { return dlopen(name, RTLD_NOW | RTLD_LOCAL) }
    for path in paths {
      if let handle = dlopen(path, RTLD_NOW | RTLD_LOCAL) { return handle }
    }
    return nil
  }

  /// Where a library may be, without the folders that are not safe; nil where all are, and the linker may choose.
  static func paths(of name: String, in folders: [String], chosen: [String]) -> [String]? {
    let safe = folders.filter { chosen.contains($0) || isSafe($0) }
    guard safe.count < folders.count else { return nil }
    return safe.map { "\($0)/\(name)" }.filter { access($0, R_OK) == 0 }
  }

  private static func isSafe(_ folder: String) -> Bool {
    do throws(FileDistrust) {
      try FileTrust.check(folder)
      return true
    } catch {
      // A folder that is not there could be made by whoever may write the one above.
      guard case .unreadable(number: ENOENT) = error, let slash = folder.lastIndex(of: "/"), slash != folder.startIndex
      else { return false }
      return isSafe(String(folder[..<slash]))
    }
  }

  private static var folders: [String] {
    withUnsafeTemporaryAllocation(of: UnsafeMutablePointer<CChar>?.self, capacity: 64) { buffer in
      let count = library_folders(buffer.baseAddress, buffer.count)
      return buffer[..<count].compactMap { text in
        guard let text else { return nil }
        defer { free(text) }
        return String(cString: text)
      }
    }
  }
}
