import Foundation
import URLLoadingTestServers

/// Makes zip archives with Python's zipfile, quick for many members.
enum ZipTool {
  /// Members named `files/000/000000.bin` and so on, of `size` bytes each; every hundredth has 1024. The bytes are
  /// ``content(_:size:)``.
  static func makeMany(_ count: Int, size: Int, at archive: URL, isStored: Bool = true) async throws {
    let code = """
      import sys, zipfile
      archive = zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_STORED if sys.argv[4] == "1" else zipfile.ZIP_DEFLATED)
      count, size = int(sys.argv[2]), int(sys.argv[3])
      for number in range(count):
          length = 1024 if number % 100 == 0 else size
          line = b"%08d " % number
          archive.writestr("files/%03d/%06d.bin" % (number // 1000, number), (line * (length // 9 + 1))[:length])
      archive.close()
      """
    try await Command.check(
      "/usr/bin/python3", ["-c", code, archive.path, "\(count)", "\(size)", isStored ? "1" : "0"],
      timeout: .seconds(120))
  }

  /// What the member of this number has.
  static func content(_ number: Int, size: Int) -> Data {
    let length = number % 100 == 0 ? 1024 : size
    let digits = String(number)
    let line = String(repeating: "0", count: 8 - digits.count) + digits + " "
    return Data(String(repeating: line, count: length / 9 + 1).utf8.prefix(length))
  }

  static func name(_ number: Int) -> String {
    func padded(_ number: Int, _ width: Int) -> String {
      String(repeating: "0", count: width - String(number).count) + String(number)
    }
    return "files/\(padded(number / 1000, 3))/\(padded(number, 6)).bin"
  }
}
