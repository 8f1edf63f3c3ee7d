import Glibc
internal import URLLoadingBase

/// Why a file is not loaded as a plugin, or not read as the list of them.
enum PluginError: Error, Hashable {
  /// - Parameter number: of the system's error.
  case unreadable(number: Int32)
  case notRegular
  case tooLarge(limit: Int64)
  /// - Parameters:
  ///   - of: the path of the file, or that of a directory that leads to it.
  ///   - isUnmapped: the service is in a user namespace that does not know the owner.
  case foreignOwner(UInt32, of: String, isUnmapped: Bool)
  /// - Parameter path: the file's, or that of a directory that leads to it.
  case writableByOthers(path: String)
  /// It is no shared object, or none of this machine.
  case notShared
  case damaged(String)
  case lacksLibrary(String)
  case lacksMark
  case otherVersion(String, own: String)
  case otherCompiler(String, own: String)
  /// - Parameter reason: what the dynamic linker says.
  case notLoaded(reason: String)
  case lacksEntry(String)
}

extension PluginError {
  init(_ distrust: FileDistrust) {
    self =
      switch distrust {
      case .unreadable(let number): .unreadable(number: number)
      case .foreignOwner(let user, let path, let isUnmapped): .foreignOwner(user, of: path, isUnmapped: isUnmapped)
      case .writableByOthers(let path): .writableByOthers(path: path)
      }
  }
}

extension PluginError: CustomStringConvertible {
  /// Words after the file's path.
  var description: String {
    switch self {
    case .unreadable(let number): "cannot be opened: \(String(cString: strerror(number)))"
    case .notRegular: "is no regular file"
    case .tooLarge(let limit): "has more than \(limit) bytes"
    case .foreignOwner(let user, let path, let isUnmapped):
      FileDistrust.foreignOwner(user, of: path, isUnmapped: isUnmapped).description
    case .writableByOthers(let path): FileDistrust.writableByOthers(path: path).description
    case .notShared: "is no shared object (ELF) for this machine"
    case .damaged(let what): "is damaged: \(what)"
    case .lacksLibrary(let name):
      "does not need \(name), of which there may be one in a process: build it with the toolset url-loading.json of `make drop-in`"
    case .lacksMark:
      "does not say with which version and compiler it was built: build it with the toolset url-loading.json of `make drop-in`"
    case .otherVersion(let version, let own):
      "was built with version \(version) of swift-url-loading, the service has \(own): build it anew"
    case .otherCompiler(let compiler, let own):
      "was built by \(compiler), the service by \(own): build it anew"
    case .notLoaded(let reason): "cannot be loaded: \(reason)"
    case .lacksEntry(let symbol): "has no function \(symbol)"
    }
  }
}
