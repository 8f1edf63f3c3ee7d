import Foundation
import Glibc
import URLLoadingTestServers

// A process with a network of its own (unshare(1), -rn), whose loads wait for that to come up. Its argument says what it loads; it prints
// what happened, a fact a line.
// The programs that it starts have the system's libraries, whatever it has itself (LoadedLibraries).
unsetenv("LD_LIBRARY_PATH")
let arguments = CommandLine.arguments.dropFirst()
do {
  let loopback = try Loopback()
  guard let name = arguments.first, let scenario = Scenario.all[name] else {
    say("usage: ConnectivityWorker \(Scenario.all.keys.sorted().joined(separator: "|"))")
    exit(64)
  }
  try await scenario(loopback)
} catch {
  say("failed: \(error)")
  exit(1)
}
