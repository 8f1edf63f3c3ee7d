import Foundation
import URLLoading
import URLLoadingTestServers

@testable import urlloadd

extension TransferService {
  /// A service with its state in a folder, that nobody runs: tests call its methods.
  convenience init(in folder: TemporaryDirectory) throws {
    let place = BackgroundServicePlace(
      environment: ["XDG_RUNTIME_DIR": folder.path, "XDG_STATE_HOME": folder.path], user: geteuid(),
      temporaryDirectory: folder.path)
    let options = Options(state: folder.file("state").path, idleTime: nil, mostTasks: 10)
    try self.init(options, listener: Listener(at: place))
  }
}
