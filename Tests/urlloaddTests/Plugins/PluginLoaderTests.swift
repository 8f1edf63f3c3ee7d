import Foundation
import Testing
import URLLoadingTestServers

@testable import urlloadd

/// What becomes of what a list names. The plugins are C, with libraries that have the names of ours.
@Suite(.timeLimit(.minutes(3))) struct PluginLoaderTests {
  private static let mark = BuildMark(version: "0.1.0", compiler: "swift-6.3.1")
  private let folder: TemporaryDirectory
  private let log = Watched<[String]>([])

  init() throws {
    folder = try TemporaryDirectory("plugins")
    chmod(folder.path, 0o700)
  }

  /// Writes the list, and loads what it names.
  private func load(_ lines: String..., library: SharedLibrary?) throws -> PluginReport {
    try folder.write("list", lines.joined(separator: "\n"))
    chmod(folder.file("list").path, 0o600)
    let log = log
    return PluginLoader(
      list: folder.file("list").path, findLibrary: { library }, log: { line in log.update { $0.append(line) } }
    ).load()
  }

  /// Makes a plugin whose entry writes a byte to a file of its name beside it.
  /// - Parameters:
  ///   - extra: the name of another library that it needs.
  ///   - function: one that it calls.
  /// - Returns: the library of a process that takes it.
  private func make(
    _ name: String, entry: String = PluginLoader.entry, needing extra: String? = nil, calling function: String? = nil
  ) async throws -> SharedLibrary {
    let (declaration, call) = function.map { ("void \($0)(void);", "\($0)();") } ?? ("", "")
    let source = """
      #include <fcntl.h>
      #include <unistd.h>
      \(declaration)
      __asm__(".pushsection .note.url-loading,\\"a\\",%note\\n.balign 4\\n.long 2f - 1f, 4f - 3f, 1\\n1: .asciz \\"URLLoading\\"\\n2: .balign 4\\n"
              "3: .ascii \\"\(Self.mark.version)\\\\0\(Self.mark.compiler)\\"\\n4: .balign 4\\n.popsection\\n");
      void \(entry)(void) {
        int file = open("\(folder.path)/\(name).loaded", O_CREAT | O_WRONLY | O_APPEND, 0600);
        if (file >= 0 && write(file, "x", 1) == 1) close(file);
        \(call)
      }
      """
    try folder.write("\(name).c", source)
    try folder.write("empty.c", "int url_loading_nothing;\n")
    let names = SharedLibrary.names + [extra].compactMap { $0 }
    for library in names {
      try await clang(["-o", "lib/\(library)", "empty.c", "-Wl,-soname,\(library)"])
    }
    let libraries = names.map { "-l:\($0)" }
    try await clang(
      ["-o", "\(name).so", "\(name).c", "-Llib", "-Wl,--no-as-needed"] + libraries
        + ["-Wl,-rpath,\(folder.path)/lib"])
    chmod(folder.file("\(name).so").path, 0o700)
    let image = try ELFImage(OpenFile(path: folder.file("\(name).so").path, sizeLimit: 1 << 20).elf)
    return SharedLibrary(machine: image.machine, mark: Self.mark)
  }

  private func clang(_ arguments: [String]) async throws {
    try FileManager.default.createDirectory(at: folder.file("lib"), withIntermediateDirectories: true)
    try await Command.check("clang", ["-shared", "-fPIC"] + arguments, directory: folder.url)
  }

  private func isLoaded(_ name: String) -> Bool { access(folder.file("\(name).loaded").path, F_OK) == 0 }

  @Test func withoutAListNothingIsLoaded() throws {
    let list = folder.file("nothing").path
    let report = PluginLoader(list: list, findLibrary: { nil }, log: { Issue.record("said: \($0)") }).load()
    #expect(report == PluginReport(list: list))
    #expect(report.words == "Plugins of the transfer service are named in \(list), which is not there.")
    #expect(PluginLoader(list: nil).load().words == nil)
  }

  @Test func aServiceWithTheLibraryInsideSaysSo() throws {
    let report = try load("/a.so", library: nil)
    #expect(report.loaded.isEmpty)
    #expect(report.words?.contains("has the library inside") == true, "\(report)")
    #expect(report.words?.contains(folder.file("list").path) == true, "\(report)")
    #expect(log.value.count == 1)
    // There is nothing to say where nothing is named.
    #expect(try load("# none", library: nil).refusals.isEmpty)
  }

  @Test func aListThatOthersMayWriteIsNotRead() throws {
    _ = try load("/a.so", library: nil)
    chmod(folder.file("list").path, 0o622)
    let report = PluginLoader(
      list: folder.file("list").path,
      findLibrary: {
        Issue.record("the list was read")
        return nil
      }, log: { _ in }
    ).load()
    #expect(report.refusals.count == 1)
    #expect(report.words?.contains("may write to") == true, "\(report)")
  }

  @Test func onePluginOfMany() async throws {
    let library = try await make("good")
    try folder.write("text.so", "no plugin")
    chmod(folder.file("text.so").path, 0o600)
    let (good, text) = (folder.file("good.so").path, folder.file("text.so").path)
    let report = try load("relative.so", text, good, "/nowhere/x.so", library: library)
    #expect(report.loaded == [good])
    #expect(isLoaded("good"))
    #expect(report.refusals.count == 3)
    #expect(report.refusals.contains("\(text) is no shared object (ELF) for this machine"), "\(report)")
    #expect(report.words?.hasPrefix("The transfer service has loaded 1 plugin of those that ") == true, "\(report)")
    #expect(log.value.contains { $0.hasPrefix("loads the plugin ") && $0.hasSuffix("good.so") }, "\(log.value)")
  }

  @Test func aFolderNamesItsSharedObjects() async throws {
    let library = try await make("b")
    _ = try await make("a")
    let report = try load(folder.path, library: library)
    #expect(report.loaded == [folder.file("a.so").path, folder.file("b.so").path])
    #expect(report.refusals.isEmpty, "\(report)")
    #expect(isLoaded("a") && isLoaded("b"))
  }

  /// A folder, a path in it, and a link.
  @Test func aFileThatIsNamedTwiceIsLoadedOnce() async throws {
    let library = try await make("twice")
    let path = folder.file("twice.so").path
    try FileManager.default.createSymbolicLink(atPath: folder.file("alias.so").path, withDestinationPath: "twice.so")
    let report = try load(path, folder.path, library: library)
    #expect(report.loaded == [path])
    #expect(report.refusals.isEmpty, "\(report)")
    #expect(try Data(contentsOf: folder.file("twice.loaded")).count == 1)
  }

  @Test func whatOfTheListComesToNothingIsSaid() throws {
    try FileManager.default.createDirectory(at: folder.file("empty"), withIntermediateDirectories: true)
    let library = SharedLibrary(machine: 62, mark: Self.mark)
    let empty = try load(folder.file("empty").path, library: library)
    #expect(empty.refusals == ["\(folder.file("empty").path) is a folder without files *.so"])
    let many = try load((0...100).map { "/nowhere/\($0).so" }.joined(separator: "\n"), library: library)
    #expect(many.refusals.first == "101 files are named, and those after the first 100 left out")
    #expect(many.refusals.count == 101)
  }

  /// Who may write to a terminal by the name of a file may have it do things.
  @Test func namesOfFilesHaveNoControlCharactersInTheLog() throws {
    let name = "a\u{1B}[2J\nurlloadd: b.so"
    try folder.write("named/\(name)", "no plugin")
    chmod(folder.file("named").path, 0o700)
    chmod(folder.file("named/\(name)").path, 0o600)
    let report = try load(folder.file("named").path, library: SharedLibrary(machine: 62, mark: Self.mark))
    let shown = "\(folder.file("named").path)/a\u{FFFD}[2J\u{FFFD}urlloadd: b.so"
    let words = "\(shown) is no shared object (ELF) for this machine"
    #expect(report.refusals == [words])
    #expect(log.value == ["no plugin: \(words)"])
  }

  @Test func aListThatIsNoTextIsNotRead() throws {
    _ = try load("/a.so", library: nil)
    try Data([0x2F, 0xFF, 0x0A]).write(to: folder.file("list"))
    chmod(folder.file("list").path, 0o600)
    let report = PluginLoader(list: folder.file("list").path, findLibrary: { nil }, log: { _ in }).load()
    #expect(report.refusals == ["\(folder.file("list").path) is damaged: it is not UTF-8"])
  }

  @Test func aPluginWithoutItsEntryIsRefused() async throws {
    let library = try await make("other", entry: "other_entry")
    let report = try load(folder.file("other.so").path, library: library)
    #expect(report.refusals == ["\(folder.file("other.so").path) has no function \(PluginLoader.entry)"])
    #expect(!isLoaded("other"))
  }

  private func hasNews(since report: PluginReport, library: SharedLibrary?) -> Bool {
    PluginLoader(list: folder.file("list").path, findLibrary: { library }, log: { _ in }).hasNews(since: report)
  }

  /// What a service that starts now would load, and this one has not.
  @Test func whatIsPutRightOrBuiltAnewIsNews() async throws {
    let library = try await make("late")
    let path = folder.file("late.so").path
    chmod(path, 0o722)
    let refused = try load(path, library: library)
    #expect(refused.refusals.count == 1)
    #expect(!hasNews(since: refused, library: library))
    chmod(path, 0o700)
    #expect(hasNews(since: refused, library: library))
    #expect(!hasNews(since: refused, library: nil))
    #expect(!isLoaded("late"))
    let loaded = try load(path, library: library)
    #expect(loaded.loaded == [path])
    #expect(!hasNews(since: loaded, library: library))
    try FileManager.default.copyItem(atPath: path, toPath: folder.file("next").path)
    #expect(rename(folder.file("next").path, path) == 0)
    #expect(hasNews(since: loaded, library: library))
  }

  /// Else every program that comes would end the service.
  @Test func whatTheLinkerRefusesIsNoNews() async throws {
    let library = try await make("hopeless", calling: "url_loading_nobody_has_that_either")
    let report = try load(folder.file("hopeless.so").path, library: library)
    #expect(report.refusals.count == 1)
    #expect(!hasNews(since: report, library: library))
  }

  /// No code of such a plugin runs.
  @Test func anotherCompilersPluginIsRefused() async throws {
    let made = try await make("old")
    let library = SharedLibrary(
      machine: made.machine, mark: BuildMark(version: Self.mark.version, compiler: "swift-99"))
    let report = try load(folder.file("old.so").path, library: library)
    #expect(report.refusals.first?.contains("was built by swift-6.3.1, the service by swift-99") == true, "\(report)")
    #expect(!isLoaded("old"))
  }

  /// The name is one that no other test has: a library that is in the process is not looked for.
  @Test func whatTheLinkerSaysIsSaid() async throws {
    let library = try await make("lonely", needing: "libLonely.so")
    try FileManager.default.removeItem(at: folder.file("lib/libLonely.so"))
    let report = try load(folder.file("lonely.so").path, library: library)
    #expect(report.refusals.first?.contains("cannot be loaded: libLonely.so") == true, "\(report)")
    #expect(!isLoaded("lonely"))
  }

  /// The linker is given a descriptor's name, which says nothing to the user.
  @Test func whatTheLinkerSaysIsAboutThePath() async throws {
    let library = try await make("lacking", calling: "url_loading_nobody_has_this")
    let path = folder.file("lacking.so").path
    let report = try load(path, library: library)
    #expect(report.refusals == ["\(path) cannot be loaded: undefined symbol: url_loading_nobody_has_this"])
    #expect(!isLoaded("lacking"))
  }
}
