internal import URLLoadingBase

/// Why a script has not said through which proxy a URL is to be loaded.
enum PACFailure: Error, Equatable {
  /// The program that runs scripts is not there.
  case noHelper
  /// Others may have put it there.
  case unsafeHelper(String)
  /// It could not be started, for the reason given.
  case notStarted(path: String, reason: String)
  /// It speaks another version of the protocol.
  case otherVersion(path: String)
  /// It lacks a library.
  case noLibrary(String)
  /// It did not answer in the time that it has, in seconds.
  case timedOut(Double)
  /// It ended by the signal given, or by itself.
  case ended(signal: Int32?)
  /// The script is wrong, in libpacparser's words.
  case script(String)
  /// The script has returned something that names no proxy.
  case answer(String)
  /// The URL of the script is not one.
  case invalidURL(String)
  /// The script could not be loaded.
  case notLoaded(String)
  /// The file is no script that can be run, for the reason given.
  case unusable(String)

  var message: String {
    switch self {
    case .noHelper:
      "the program that runs it, \(HelperProgram.pac.name), was not found: neither in the variable \(HelperProgram.pac.variable) "
        + "nor beside this program nor in PATH. Build it with `swift build --product \(HelperProgram.pac.name)`, or install it"
    case .unsafeHelper(let words):
      "\(words). Where that is as it should be, name its path in \(HelperProgram.pac.variable)"
    case .notStarted(let path, let reason): "\(path), which runs it, could not be started: \(reason)"
    case .otherVersion(let path): "\(path), which runs it, is of another version; build it anew"
    case .noLibrary(let name): "there is no \(name); install the package libpacparser1"
    case .timedOut(let seconds): "it did not answer within \(seconds.formatted()) s, and was ended"
    case .ended(let signal?) where signal == SIGXCPU: "it used up the time of the processor that it has, and was ended"
    case .ended(let signal?):
      "its process ended by signal \(signal); it may have used more memory than the 256 MiB that it has"
    case .ended(nil): "its process ended without an answer"
    case .script(let words): "it failed: \(words)"
    case .answer(let text): "it returned what names no proxy: \(text.prefix(200))"
    case .invalidURL(let text): "its URL cannot be used: \(text.prefix(200))"
    case .notLoaded(let words): "it could not be loaded. \(words)"
    case .unusable(let reason): "it cannot be run: \(reason)"
    }
  }
}
