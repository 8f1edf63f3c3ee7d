import Foundation
internal import URLLoadingBase

extension FileTrust {
  /// Checks a file that is open: what its path leads to is what is read.
  static func check(_ file: OpenFile, unknownUser: UInt32? = currentUnknownUser) throws(PluginError) {
    let status: stat
    do throws(FileDistrust) {
      status = try check(file.givenPath, unknownUser: unknownUser)
    } catch {
      throw PluginError(error)
    }
    // Names were checked, and a descriptor is what is read.
    guard OpenFile.Identity(status) == file.identity else { throw .unreadable(number: ESTALE) }
  }
}
