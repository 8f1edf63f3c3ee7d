internal import URLLoadingBase

/// A shared object that may be loaded as a plugin: everything that can be known without running its code has been checked.
struct PluginFile {
  static let sizeLimit: Int64 = 512 << 20

  let file: OpenFile

  /// What changes where the file is built anew; nil where the system does not say.
  var version: FileVersion? { FileVersion(of: file.descriptor) }

  /// - Parameter library: that of this process.
  init(path: String, library: SharedLibrary) throws(PluginError) {
    file = try OpenFile(path: path, sizeLimit: Self.sizeLimit)
    try FileTrust.check(file)
    let image = try ELFImage(file.elf)
    guard image.machine == library.machine else { throw .notShared }
    for name in SharedLibrary.names where !image.needed.contains(name) { throw .lacksLibrary(name) }
    try library.mark.check(image)
  }
}
