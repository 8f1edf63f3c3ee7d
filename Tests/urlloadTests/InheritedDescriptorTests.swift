import Foundation
import Testing
import URLLoadingTestServers

/// What the command leaves open to children that it might have.
@Suite(.timeLimit(.minutes(3))) struct InheritedDescriptorTests {
  @Test func childrenInheritNothing() async throws {
    let nginx = try await NginxServer.shared
    let ssh = try await SSHServer.shared
    let folder = try TemporaryDirectory("inherited")
    let large = nginx.documentRoot.appendingPathComponent("large.bin")
    let secret = try await SSHServer.clientKeys.ed25519.file.path
    try folder.write(".ssh/known_hosts", ssh.knownHosts)
    try folder.write(".ssh/config", "Host *\n  IdentityFile \"\(secret)\"\n  IdentitiesOnly yes\n")
    chmod(folder.file(".ssh/config").path, 0o600)
    let copy = ssh.home.appendingPathComponent("inherited-\(UInt64.random(in: 0 ... .max)).bin")
    try FileManager.default.copyItem(at: large, to: copy)
    let packed = try await Command.run(
      "tar", ["-czf", "packed.tgz", "-C", nginx.documentRoot.path, "large.bin"], directory: folder.url)
    #expect(packed.status == .exited(0), "\(packed.error)")
    let urls = [
      nginx.url("/large.bin").absoluteString, nginx.url("/large.bin", on: .https).absoluteString,
      nginx.url("/large.bin", host: "localhost").absoluteString,
      try await FTPServer.shared.url("/large.bin").absoluteString,
      ssh.url("/~/\(copy.lastPathComponent)").absoluteString,
      large.absoluteString, "file:///dev/zero", "archive:\(folder.file("packed.tgz").absoluteString)!/large.bin",
      "ftps://127.0.0.1:\(try await FTPServer.secure.port)/large.bin",
    ]
    let authority = try await TestCertificates.shared.authority.path
    for (index, url) in urls.enumerated() {
      // Nobody reads it, so that the load stays in its middle.
      let output = folder.file("fifo\(index)")
      #expect(mkfifo(output.path, 0o600) == 0)
      let end = open(output.path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
      defer { close(end) }
      // What the test itself leaves open to its children is none of the command's.
      let script = "exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-; exec \"$0\" \"$@\""
      let process = try ChildProcess(
        "/bin/bash", ["-c", script, BuiltProgram.path("urlload"), "--cacert", authority, "-o", output.path, url],
        environment: ["CFFIXED_USER_HOME": folder.path, "SSH_AUTH_SOCK": nil], directory: folder.url,
        output: folder.file("output"), error: folder.file("error"))
      let came = try await eventually {
        var poll = pollfd(fd: end, events: Int16(POLLIN), revents: 0)
        return Glibc.poll(&poll, 1, 0) > 0 || process.exitStatus != nil
      }
      let said = (try? String(contentsOf: folder.file("error"), encoding: .utf8)) ?? ""
      #expect(came && process.exitStatus == nil, "\(url): \(said)")
      let open = try Self.descriptors(of: process.processID)
      #expect(open.contains { $0.number > 2 && $0.closesOnExec })
      #expect(open.filter { $0.number > 2 && !$0.closesOnExec }.map(\.target) == [], "\(url): \(open)")
      await process.stop()
    }
  }

  private struct Descriptor {
    var number: Int
    var target: String
    var closesOnExec: Bool
  }

  private static func descriptors(of process: pid_t) throws -> [Descriptor] {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd").compactMap { name in
      guard let number = Int(name),
        let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/fd/\(name)"),
        let information = try? String(contentsOfFile: "/proc/\(process)/fdinfo/\(name)", encoding: .utf8),
        let line = information.split(separator: "\n").first(where: { $0.hasPrefix("flags:") }),
        let flags = Int(line.dropFirst(6).trimmingCharacters(in: .whitespaces), radix: 8)
      else { return nil }
      return Descriptor(number: number, target: target, closesOnExec: flags & 0o2000000 != 0)
    }
  }
}
