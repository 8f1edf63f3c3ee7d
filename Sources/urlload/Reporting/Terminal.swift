import Foundation
internal import URLLoadingBase

/// The user's terminal.
enum Terminal {
  /// The terminal's settings before echo was switched off. Guarded by its lock.
  private static let hidden = Locked<(descriptor: Int32, settings: termios)?>(nil)

  /// Whether standard error is a terminal on which no body is written.
  static func wantsProgress(_ outputs: [OutputPlan.Target]) -> Bool {
    guard isatty(STDERR_FILENO) == 1 else { return false }
    return !outputs.contains(.standardOutput) || isatty(STDOUT_FILENO) == 0
  }

  /// Columns and rows of the terminal.
  static var size: (columns: Int, rows: Int) {
    var size = winsize()
    guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return (80, 24) }
    return (Int(size.ws_col), size.ws_row > 0 ? Int(size.ws_row) : 24)
  }

  /// Asks for a secret, without echo; nil where there is no terminal.
  static func askSecret(_ question: String) -> String? {
    let descriptor = open("/dev/tty", O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var settings = termios()
    guard tcgetattr(descriptor, &settings) == 0 else { return nil }
    hidden.withLock { $0 = (descriptor, settings) }
    defer { restore() }
    settings.c_lflag &= ~tcflag_t(ECHO)
    guard tcsetattr(descriptor, TCSAFLUSH, &settings) == 0 else { return nil }
    try? DescriptorWriter.write(Data(SafeText.line(question).utf8), to: descriptor, "/dev/tty")
    defer { try? DescriptorWriter.write(Data("\n".utf8), to: descriptor, "/dev/tty") }
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while line.count < 4096 {
      let count = DescriptorIO.uninterrupted { read(descriptor, &byte, 1) }
      guard count == 1, byte != 0x0A else { break }
      line.append(byte)
    }
    return String(decoding: line, as: UTF8.self)
  }

  /// Switches echo on again.
  static func restore() {
    hidden.withLock { hidden in
      guard var before = hidden else { return }
      tcsetattr(before.descriptor, TCSAFLUSH, &before.settings)
      hidden = nil
    }
  }
}
