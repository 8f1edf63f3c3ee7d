import Foundation

extension KnownHosts {
  /// Reads files in order. Missing ones are left out.
  init(files: [String]) {
    for file in files {
      do throws(Problem) {
        add(try LocalFile.read(file), file: file)
      } catch {
        guard !error.isMissing else { continue }
        let place = SourceLine(file: file, line: 1)
        problems.append(LineProblem(place: place, reason: "the file cannot be read: \(error.reason)"))
      }
    }
  }

  /// Adds a line to a file, which is made if it is missing. Without permission to write nothing happens.
  static func append(_ line: String, to file: String) {
    // A host name must not make a second line or field.
    guard !line.contains(where: \.isNewline), line.split(separator: " ").count == 3 else { return }
    let folder = (file as NSString).deletingLastPathComponent
    mkdir(folder, 0o700)
    let descriptor = open(file, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0o600)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
    var last = UInt8(ascii: "\n")
    if status.st_size > 0 { _ = pread(descriptor, &last, 1, status.st_size - 1) }
    let text = Array(((last == UInt8(ascii: "\n") ? "" : "\n") + line + "\n").utf8)
    // In one call, so that lines of several processes do not mix.
    _ = write(descriptor, text, text.count)
  }
}
