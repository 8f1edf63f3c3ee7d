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
    func refuse(_ words: String) {
      log("no plugin: \(words)")
      report.refusals.append(words)
    }
    let text: String
    do {
      text = try Self.text(of: list)
    } catch PluginFlaw.unreadable(number: ENOENT) {
      return report
    } catch {
      report.hasList = true
      refuse("\(list) \(error)")
      return report
    }
    report.hasList = true
    let named = PluginList(text)
    for flaw in named.flaws { refuse(flaw) }
    guard !named.paths.isEmpty else { return report }
    do {
      guard let library = try findLibrary() else {
        refuse(
          "this urlloadd has the library inside, as one that is built from source has, and loads no plugins: that of `make install` does"
        )
        return report
      }
      for path in paths(of: named) {
        do {
          try load(path, library)
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

  private static func text(of list: String) throws -> String {
    let file = try OpenFile(path: list, sizeLimit: PluginList.sizeLimit)
    try FileTrust.check(file)
    return String(decoding: file.read(at: 0, count: Int(file.size)), as: UTF8.self)
  }

  /// The files that are meant: of a folder its shared objects.
  private func paths(of named: PluginList) -> [String] {
    let paths = named.paths.flatMap { path -> [String] in
      guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else { return [path] }
      return names.filter { $0.hasSuffix(".so") }.sorted().map { "\(path)/\($0)" }
    }
    if paths.count > Self.mostPlugins {
      log("\(list ?? "the list") names \(paths.count) plugins; those after the first \(Self.mostPlugins) are left out")
    }
    return Array(paths.prefix(Self.mostPlugins))
  }

  private func load(_ path: String, _ library: SharedLibrary) throws(PluginFlaw) {
    let plugin = try PluginFile(path: path, library: library)
    log("loads the plugin \(plugin.file.path)")
    guard let handle = dlopen("/proc/self/fd/\(plugin.file.descriptor)", RTLD_NOW | RTLD_LOCAL) else {
      throw .notLoaded(reason: Self.linkerError)
    }
    // The linker knows it by the number of this descriptor: another file under that number would not be loaded.
    _ = Unmanaged.passRetained(plugin.file)
    guard let entry = dlsym(handle, Self.entry) else { throw .lacksEntry(Self.entry) }
    unsafeBitCast(entry, to: Entry.self)()
  }

  private static var linkerError: String { dlerror().map { String(cString: $0) } ?? "the linker does not say why" }
}
