import Foundation
internal import URLLoadingBase

/// Loads what the user's list of plugins names, before the service takes its first task.
struct PluginLoader {
  /// What a plugin exports: registers its classes.
  static let entry = "url_loading_plugin_register"
  private static let mostPlugins = 100

  private typealias Entry = @convention(c) () -> Void

  /// The path of the list; nil where there is no place for one.
  let list: String?
  private let findLibrary: () throws -> SharedLibrary?
  private let log: (String) -> Void

  /// - Parameters:
  ///   - findLibrary: gives the shared library of the process; nil where the process has the library inside.
  ///   - log: gets a line.
  init(
    list: String?, findLibrary: @escaping () throws -> SharedLibrary? = { try SharedLibrary.current() },
    log: @escaping (String) -> Void = ServiceLog.write
  ) {
    (self.list, self.findLibrary, self.log) = (list, findLibrary, log)
  }

  /// Where the user of a process names plugins.
  static func list(environment: [String: String]) -> String? {
    ProgramDirectories(environment: environment, program: "urlloadd").shared(.configuration, by: "plugins")
  }

  /// Loads them.
  func load() -> PluginReport {
    var report = PluginReport(list: list)
    guard let list else { return report }
    func refuse(_ reason: String) {
      // Paths are of any bytes, and links and directories may bring others than the list has.
      let words = ForeignText.line(reason)
      log("no plugin: \(words)")
      report.refusals.append(words)
    }
    let text: String
    do {
      text = try Self.text(of: list)
    } catch PluginError.unreadable(number: ENOENT) {
      return report
    } catch {
      report.hasList = true
      refuse("\(list) \(error)")
      return report
    }
    report.hasList = true
    let named = PluginList(text)
    for error in named.errors { refuse(error) }
    guard !named.paths.isEmpty else { return report }
    do {
      guard let library = try findLibrary() else {
        refuse(
          "this urlloadd has the library inside, as one that is built from source has, and loads no plugins: that of `make install` does"
        )
        return report
      }
      let (paths, errors) = Self.files(of: named)
      for error in errors { refuse(error) }
      var known: Set<OpenFile.Identity> = []
      for path in paths {
        do {
          let plugin = try PluginFile(path: path, library: library)
          // A folder and a path, or two links, may name one file: its classes are registered once.
          guard known.insert(plugin.file.identity).inserted else { continue }
          if let version = plugin.version { report.tried.append(version) }
          try load(plugin)
          report.loaded.append(path)
        } catch {
          refuse("\(path) \(error)")
        }
      }
    } catch {
      refuse("the shared library of this urlloadd \(error)")
    }
    return report
  }

  /// Whether the list names a plugin by now that passes the checks, and that was not tried. Runs no code of it.
  func hasNews(since report: PluginReport) -> Bool {
    guard let list, let text = try? Self.text(of: list), let library = try? findLibrary() else { return false }
    return Self.files(of: PluginList(text)).paths.contains { path in
      guard let version = (try? PluginFile(path: path, library: library))?.version else { return false }
      return !report.tried.contains(version)
    }
  }

  private static func text(of list: String) throws -> String {
    let file = try OpenFile(path: list, sizeLimit: PluginList.sizeLimit)
    try FileTrust.check(file)
    let bytes = file.read(at: 0, count: Int(file.size))
    guard bytes.count == Int(file.size) else { throw PluginError.damaged("it cannot be read to its end") }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw PluginError.damaged("it is not UTF-8") }
    return text
  }

  /// The files that are meant, of a folder its shared objects, and in words what of the list comes to no file.
  private static func files(of named: PluginList) -> (paths: [String], errors: [String]) {
    var paths: [String] = []
    var errors: [String] = []
    for path in named.paths {
      guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
        paths.append(path)
        continue
      }
      let objects = names.filter { $0.hasSuffix(".so") }.sorted()
      if objects.isEmpty { errors.append("\(path) is a folder without files *.so") }
      paths += objects.map { "\(path)/\($0)" }
    }
    if paths.count > mostPlugins {
      errors.append("\(paths.count) files are named, and those after the first \(mostPlugins) left out")
    }
    return (Array(paths.prefix(mostPlugins)), errors)
  }

  private func load(_ plugin: PluginFile) throws(PluginError) {
    let file = plugin.file
    log("loads the plugin \(ForeignText.line(file.path))")
    let name = "/proc/self/fd/\(file.descriptor)"
    guard let handle = dlopen(name, RTLD_NOW | RTLD_LOCAL) else {
      throw .notLoaded(reason: Self.linkerError(about: name, at: file.path))
    }
    // The linker knows it by the number of this descriptor: another file under that number would not be loaded.
    _ = Unmanaged.passRetained(file)
    guard let entry = dlsym(handle, Self.entry) else { throw .lacksEntry(Self.entry) }
    unsafeBitCast(entry, to: Entry.self)()
  }

  /// What the linker says, with the path of the file in the place of the name that it was loaded by.
  private static func linkerError(about name: String, at path: String) -> String {
    guard let error = dlerror() else { return "the linker does not say why" }
    var words = Substring(String(cString: error))
    // The path comes before the words.
    if words.hasPrefix("\(name): ") { words = words.dropFirst(name.count + 2) }
    // Names in it are the file's, of any length and any bytes.
    return ForeignText.line(words, limit: 1000).replacingOccurrences(of: name, with: path)
  }
}
