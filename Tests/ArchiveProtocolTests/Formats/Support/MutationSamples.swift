import Foundation
import URLLoadingTestServers

/// Small archives of every format.
enum MutationSamples {
  struct Sample: Sendable {
    let name: String
    let bytes: [UInt8]
  }

  static func make() async throws -> [Sample] {
    let tree = try TemporaryDirectory("samples")
    try tree.write("a.txt", "hello\n")
    try tree.write("dir/numbers", (0..<900).map(String.init).joined(separator: ","))
    try tree.write("dir/random", TestFiles.pattern(count: 3000, seed: 4))
    try FileManager.default.createSymbolicLink(atPath: tree.path + "/soft", withDestinationPath: "a.txt")
    try FileManager.default.linkItem(atPath: tree.path + "/a.txt", toPath: tree.path + "/hard")
    let sparse = try FileHandle(forWritingTo: tree.write("sparse", "begin"))
    try sparse.truncate(atOffset: 200_000)
    try sparse.seekToEnd()
    try sparse.write(contentsOf: Data("end".utf8))
    try sparse.close()
    var samples: [Sample] = []
    let folder = try TemporaryDirectory("archives")
    for (index, command) in commands.enumerated() {
      let file = folder.file("archive-\(index).7z")
      let input = command[0] == "cpio" ? Data("a.txt\nhard\ndir\ndir/numbers\nsoft\n".utf8) : nil
      try await Command.check(
        Tool.path(command[0]), command.dropFirst().map { $0 == "ARCHIVE" ? file.path : $0 }, input: input,
        directory: tree.url)
      samples.append(Sample(name: command.joined(separator: " "), bytes: Array(try Data(contentsOf: file))))
    }
    let files = [("a.txt", Data("hello".utf8)), ("dir/b", TestFiles.pattern(count: 2000)), ("empty", Data())]
    samples.append(Sample(name: "rar", bytes: HandmadeRar.version4(files)))
    samples.append(Sample(name: "rar5", bytes: HandmadeRar.version5(files)))
    samples.append(Sample(name: "rar5, solid", bytes: HandmadeRar.version5(files, isSolid: true)))
    let tar = Data(samples.first?.bytes ?? [])
    for (program, options) in [
      ("gzip", []), ("bzip2", []), ("xz", []), ("xz", ["--format=lzma"]), ("zstd", []), ("lz4", []),
    ] {
      let packed = try await Tool.filter(program, options + ["-c"], tar)
      samples.append(Sample(name: "tar by \(program)", bytes: Array(packed)))
    }
    return samples
  }

  private static let commands = [
    ["tar", "--format=gnu", "--sparse", "-cf", "ARCHIVE", "."],
    ["tar", "--format=pax", "--sparse", "-cf", "ARCHIVE", "."],
    ["tar", "--format=v7", "-cf", "ARCHIVE", "dir"], ["cpio", "-o", "-H", "newc", "-O", "ARCHIVE"],
    ["cpio", "-o", "-H", "crc", "-O", "ARCHIVE"], ["cpio", "-o", "-H", "odc", "-O", "ARCHIVE"],
    ["cpio", "-o", "-H", "bin", "-O", "ARCHIVE"], ["ar", "rcS", "ARCHIVE", "a.txt", "dir/numbers"],
    ["7z", "a", "-bd", "-ms=on", "ARCHIVE", "."], ["7z", "a", "-bd", "-ms=off", "-mhc=off", "ARCHIVE", "."],
    ["7z", "a", "-bd", "-m0=ppmd", "-mhc=off", "ARCHIVE", "."], ["7z", "a", "-bd", "-m0=bzip2", "ARCHIVE", "."],
    ["7z", "a", "-bd", "-m0=delta", "-m1=lzma2", "-mhc=off", "ARCHIVE", "."],
    ["7z", "a", "-bd", "-mf=bcj2", "-m0=lzma", "-mhc=off", "ARCHIVE", "."],
    ["bsdtar", "--format=iso9660", "-cf", "ARCHIVE", "a.txt", "dir", "soft"],
    ["xorriso", "-as", "mkisofs", "-quiet", "-R", "-J", "-o", "ARCHIVE", "dir"],
    ["bsdtar", "--format=xar", "-cf", "ARCHIVE", "a.txt", "dir", "soft"],
    ["bsdtar", "--format=warc", "-cf", "ARCHIVE", "a.txt", "dir"],
    ["gcab", "-c", "-z", "ARCHIVE", "a.txt", "dir/numbers"],
    ["gcab", "-c", "ARCHIVE", "a.txt", "dir/numbers"], ["jlha", "-c", "ARCHIVE", "a.txt", "dir/numbers"],
  ]
}
