import Foundation
import Testing
import URLLoadingTestServers

/// `Scripts/install-command`, with programs that stand for the built ones.
@Suite(.timeLimit(.minutes(2))) struct InstallCommandTests {
  private let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory("install")
    for name in ["urlload", "urlload-pac"] {
      let program = try folder.write("built/\(name)", "#!/bin/sh\necho \"completion of $2\"\n")
      chmod(program.path, 0o755)
    }
  }

  /// Puts a library of the service into the drop-in folder, and gives the name of its file.
  private func addLibrary(of service: String) async throws -> String {
    let found = try await Command.check("ldd", [service])
    let words = String(decoding: found, as: UTF8.self).split(whereSeparator: \.isWhitespace)
    let path = String(try #require(words.first { $0.hasPrefix("/") && $0.contains("liblzma") }))
    let source = URL(fileURLWithPath: path)
    try folder.write("drop-in/dynamic/\(source.lastPathComponent)", Data(contentsOf: source))
    return source.lastPathComponent
  }

  private func install(_ service: String, _ places: [String]) async throws -> Command.Outcome {
    let script = PackageFolder.root.appendingPathComponent("Scripts/install-command").path
    return try await Command.run(
      script, [folder.file("built").path, service, folder.file("drop-in").path, "urlloadd-1"] + places)
  }

  private func files(in place: String) throws -> Set<String> {
    let root = folder.file(place).path
    return Set(
      try FileManager.default.subpathsOfDirectory(atPath: root).filter { name in
        var status = stat()
        return lstat("\(root)/\(name)", &status) == 0 && status.st_mode & S_IFMT == S_IFREG
      })
  }

  /// What packagers do: all files are below the staging folder, and none of them has its path.
  @Test func filesAreStaged() async throws {
    let service = "/usr/bin/xz"
    let library = try await addLibrary(of: service)
    let outcome = try await install(service, ["/usr", folder.file("stage").path])
    #expect(outcome.status == .exited(0), "\(outcome.error)")
    let names: Set = [
      "bin/urlload", "bin/urlload-pac", "bin/urlloadd", "lib/urlloadd-1/\(library)",
      "share/bash-completion/completions/urlload", "share/fish/vendor_completions.d/urlload.fish",
      "share/man/man1/urlload.1", "share/man/man1/urlload-pac.1", "share/man/man1/urlloadd.1",
      "share/systemd/user/urlloadd.service",
      "share/systemd/user/urlloadd.socket", "share/zsh/site-functions/_urlload",
    ]
    #expect(try files(in: "stage") == Set(names.map { "usr/\($0)" }))
    for name in names {
      let content = try Data(contentsOf: folder.file("stage/usr/\(name)"))
      #expect(content.range(of: Data(folder.path.utf8)) == nil, "\(name)")
    }
    let unit = try String(
      contentsOf: folder.file("stage/usr/share/systemd/user/urlloadd.service"), encoding: .utf8)
    #expect(unit.contains("\nExecStart=/usr/bin/urlloadd\n"), "\(unit)")
    let function = try String(contentsOf: folder.file("stage/usr/share/zsh/site-functions/_urlload"), encoding: .utf8)
    #expect(function == "completion of zsh\n")
  }

  /// Without a staging folder the files are below the prefix.
  @Test func filesGoBelowThePrefix() async throws {
    let service = "/usr/bin/xz"
    let library = try await addLibrary(of: service)
    let prefix = folder.file("own").path
    let outcome = try await install(service, [prefix])
    #expect(outcome.status == .exited(0), "\(outcome.error)")
    #expect(try files(in: "own").isSuperset(of: ["bin/urlloadd", "lib/urlloadd-1/\(library)", "bin/urlload"]))
    let unit = try String(contentsOf: folder.file("own/share/systemd/user/urlloadd.service"), encoding: .utf8)
    #expect(unit.contains("\nExecStart=\(prefix)/bin/urlloadd\n"), "\(unit)")
  }
}
