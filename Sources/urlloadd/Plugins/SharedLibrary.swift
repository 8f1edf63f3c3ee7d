internal import URLLoadingCLinux

/// The library of this process, where it is the shared one of `make drop-in`.
struct SharedLibrary {
  /// What plugins have to need, so that the process has one of each.
  static let names = ["libURLLoading.so", "libswiftCore.so"]

  /// The descriptor of `URLProtocol`: the library exports it, and a program that has the library inside does not.
  private static let symbol = "$s10URLLoading11URLProtocolCMn"
  private static let sizeLimit: Int64 = 512 << 20

  let machine: UInt16
  let mark: BuildMark

  init(machine: UInt16, mark: BuildMark) { (self.machine, self.mark) = (machine, mark) }

  /// That of this process; nil where it has the library inside, as one that was built from source.
  /// - Throws: where the library does not say what it was built with. Whose it is, is not asked: its code runs.
  static func current() throws(PluginError) -> SharedLibrary? {
    guard let path = library_with_symbol(symbol) else { return nil }
    let image = try ELFImage(OpenFile(path: String(cString: path), sizeLimit: sizeLimit).elf)
    guard let mark = image.notes.compactMap({ BuildMark($0) }).first else { throw .lacksMark }
    return SharedLibrary(machine: image.machine, mark: mark)
  }
}
