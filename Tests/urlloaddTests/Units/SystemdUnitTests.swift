import Foundation
import Testing
import URLLoadingTestServers

/// The units that `make install` puts into systemd's folder.
@Suite(.timeLimit(.minutes(2))) struct SystemdUnitTests {
  private typealias Section = (name: String, settings: [(key: String, value: String)])

  private static let names = ["urlloadd.service", "urlloadd.socket"]
  private static let analyzer = "/usr/bin/systemd-analyze"

  private func text(_ name: String) throws -> String {
    let file = PackageFolder.root.appending(path: "Scripts/systemd/\(name)")
    return try String(contentsOf: file, encoding: .utf8)
  }

  /// The sections of a unit with their lines (systemd.syntax(7)); continued lines are not read.
  private func sections(_ name: String) throws -> [Section] {
    var sections: [Section] = []
    for line in try text(name).split(separator: "\n") where !line.hasPrefix("#") && !line.hasPrefix(";") {
      if line.hasPrefix("["), line.hasSuffix("]") {
        sections.append((String(line.dropFirst().dropLast()), []))
        continue
      }
      let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      try #require(parts.count == 2 && !sections.isEmpty, "\(name): \(line)")
      sections[sections.count - 1].settings.append((parts[0], parts[1]))
    }
    return sections
  }

  private func value(_ key: String, _ section: String, of name: String) throws -> String? {
    try sections(name).first { $0.name == section }?.settings.first { $0.key == key }?.value
  }

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: SystemdUnitTests.analyzer)))
  func systemdHasNothingToSayAgainstThem() async throws {
    let folder = try TemporaryDirectory("units")
    let program = URL(fileURLWithPath: BuiltProgram.path("urlloadd")).deletingLastPathComponent().path
    var paths: [String] = []
    for name in Self.names {
      try folder.write(name, try text(name).replacingOccurrences(of: "@BINDIR@", with: program))
      paths.append(folder.file(name).path)
    }
    let outcome = try await Command.run(
      Self.analyzer, ["--user", "verify", "--man=no"] + paths,
      environment: ["HOME": folder.path, "XDG_RUNTIME_DIR": folder.path])
    // It ends with 0 after a warning as well.
    #expect(outcome.status == .exited(0) && outcome.error.isEmpty, "\(outcome.error)")
    folder.remove()
  }

  /// Keys of systemd.unit(5), systemd.service(5), systemd.exec(5) and systemd.socket(5) that a user's manager knows; it ignores others.
  @Test(arguments: SystemdUnitTests.names) func theirKeysAreKnown(_ name: String) throws {
    let known: [String: Set<String>] = [
      "Unit": ["Description", "Documentation", "Requires", "Wants", "After", "Before"],
      "Service": [
        "Type", "ExecStart", "KillMode", "Restart", "RestartSec", "NoNewPrivileges", "PrivateUsers", "ProtectSystem",
        "ProtectKernelTunables", "ProtectKernelModules", "ProtectControlGroups", "ProtectClock", "ProtectHostname",
        "RestrictAddressFamilies", "RestrictNamespaces", "RestrictSUIDSGID", "RestrictRealtime", "LockPersonality",
        "MemoryDenyWriteExecute", "SystemCallArchitectures", "SystemCallFilter", "UMask",
      ],
      "Socket": ["ListenStream", "SocketMode", "DirectoryMode", "RemoveOnStop"],
      "Install": ["WantedBy", "Also"],
    ]
    let sections = try sections(name)
    #expect(sections.map(\.name) == ["Unit", name.hasSuffix(".socket") ? "Socket" : "Service", "Install"])
    for section in sections {
      for (key, value) in section.settings {
        #expect(known[section.name]?.contains(key) == true && !value.isEmpty, "\(name): [\(section.name)] \(key)")
      }
    }
  }

  /// What programs and the service expect of the socket, and the issue of its sandbox.
  @Test func theyAgreeWithTheService() throws {
    #expect(try value("ExecStart", "Service", of: Self.names[0]) == "@BINDIR@/urlloadd")
    #expect(try value("Requires", "Unit", of: Self.names[0]) == Self.names[1])
    // `%t` is XDG_RUNTIME_DIR.
    #expect(try value("ListenStream", "Socket", of: Self.names[1]) == "%t/url-loading/urlloadd.socket")
    // Programs do not use a folder that others may read.
    #expect(try value("DirectoryMode", "Socket", of: Self.names[1]) == "0700")
    #expect(try value("SocketMode", "Socket", of: Self.names[1]) == "0600")
    let families = try #require(try value("RestrictAddressFamilies", "Service", of: Self.names[0]))
    // Unix for programs and the bus, netlink for changes of the network.
    #expect(Set(families.split(separator: " ")) == ["AF_UNIX", "AF_INET", "AF_INET6", "AF_NETLINK"])
    // A program that the service has started is not killed when the service ends for want of work (systemd.kill(5)).
    #expect(try value("KillMode", "Service", of: Self.names[0]) == "process")
    #expect(try value("ProtectSystem", "Service", of: Self.names[0]) == "full")
    for key in ["NoNewPrivileges", "RestrictNamespaces", "RestrictSUIDSGID", "LockPersonality"] {
      #expect(try value(key, "Service", of: Self.names[0]) == "yes", "\(key)")
    }
  }
}
