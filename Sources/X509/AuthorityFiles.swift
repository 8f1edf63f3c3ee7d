import Foundation
internal import URLLoadingCOpenSSL

/// What a look at the files of ``TrustedAuthorities`` shows of them, without their contents. Takes 1 ms for a system's folder.
struct AuthorityFiles {
  private let file: Int
  /// A number for the names and the states of all files in folders.
  let folders: Int
  /// A change in the same tick of the file system's clock as the last one would not show.
  private let isSettled: Bool

  /// The coarsest clock that a file system has, in nanoseconds.
  private static let tick: Int64 = 2_000_000_000

  init(of authorities: TrustedAuthorities) {
    let usesDefaults = authorities.file == nil && authorities.directory == nil
    var states = FileStates()
    if let file = authorities.file ?? (usesDefaults ? Self.defaultFile : nil) { states.add(file) }
    file = states.takeNumber()
    // OpenSSL takes a list of them.
    let directory = authorities.directory ?? (usesDefaults ? Self.defaultDirectory : nil)
    for folder in directory?.split(separator: ":") ?? [] { states.addFolder(String(folder)) }
    folders = states.takeNumber()
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    isSettled = states.lastChange < FileStates.nanoseconds(now) &- Self.tick
  }

  /// Whether nothing has changed that a later look has seen, or could have missed.
  func areUnchanged(in later: AuthorityFiles) -> Bool {
    isSettled && file == later.file && folders == later.folders
  }

  private static var defaultFile: String? { path(X509_get_default_cert_file_env(), X509_get_default_cert_file()) }
  private static var defaultDirectory: String? { path(X509_get_default_cert_dir_env(), X509_get_default_cert_dir()) }

  /// A variable's value; the default where it is not set.
  private static func path(_ variable: UnsafePointer<CChar>?, _ usual: UnsafePointer<CChar>?) -> String? {
    (variable.flatMap { getenv($0) }.map { UnsafePointer($0) } ?? usual).map { String(cString: $0) }
  }
}

/// Which files there are, of which size, and when they were last changed.
private struct FileStates {
  private(set) var lastChange = Int64.min
  private var hasher = Hasher()

  mutating func takeNumber() -> Int { exchange(&hasher, with: Hasher()).finalize() }

  mutating func addFolder(_ path: String) {
    add(path)
    guard let folder = opendir(path) else { return }
    defer { closedir(folder) }
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: $0.pointee)) { String(cString: $0) }
      }
      if Self.isHash(name) { add(name, in: dirfd(folder)) }
    }
  }

  /// Adds a file, or that which a link leads to.
  mutating func add(_ name: String, in folder: Int32 = AT_FDCWD) {
    hasher.combine(name)
    var status = stat()
    guard fstatat(folder, name, &status, 0) == 0 else { return hasher.combine(false) }
    // Nobody can set it, as anybody can the time of the last modification.
    let change = Self.nanoseconds(status.st_ctim)
    lastChange = max(lastChange, change)
    for number in [Int64(bitPattern: UInt64(status.st_dev)), Int64(bitPattern: UInt64(status.st_ino)), change] {
      hasher.combine(number)
    }
    hasher.combine(status.st_size)
  }

  /// OpenSSL reads no others: `openssl rehash` names them so.
  private static func isHash(_ name: String) -> Bool {
    let name = name.utf8
    return name.count > 9 && name.dropFirst(8).first == UInt8(ascii: ".")
      && name.prefix(8).allSatisfy { digit in
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): true
        default: false
        }
      }
  }

  static func nanoseconds(_ time: timespec) -> Int64 { Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec) }
}
