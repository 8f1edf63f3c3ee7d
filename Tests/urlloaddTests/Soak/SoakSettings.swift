import Foundation

/// How much the soak does. `make soak` sets the variables; without them it is a short one, for `make test`.
enum SoakSettings {
  /// Whether every scheme meets every fault.
  static let isWhole = text("URL_LOADING_SOAK") == "whole"
  /// In bytes.
  static let downloadSize = text("URL_LOADING_SOAK_DOWNLOAD").flatMap { Int($0) } ?? 4 << 20
  /// In bytes.
  static let uploadSize = text("URL_LOADING_SOAK_UPLOAD").flatMap { Int($0) } ?? 2 << 20
  /// How often a program or a service is killed in the middle of a transfer.
  static let kills = text("URL_LOADING_SOAK_KILLS").flatMap { Int($0) } ?? 2
  /// How long there is no server, or no room on the disk, after a second attempt has failed.
  static let absence = Duration.seconds(text("URL_LOADING_SOAK_ABSENCE").flatMap { Double($0) } ?? 0)
  /// Downloads that end while no program is there.
  static let finishedTasks = text("URL_LOADING_SOAK_TASKS").flatMap { Int($0) } ?? 200
  /// Tasks whose list is measured.
  static let listedTasks = isWhole ? 100_000 : 3000

  /// What a transfer may take. Behind a long absence the next retry may be as far away as that was long.
  static let limit: Duration = isWhole ? .seconds(720) : .seconds(60)
  /// Between two looks at what a program has said, all of which is read.
  static let interval: Duration = isWhole ? .milliseconds(500) : .milliseconds(10)

  private static func text(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }
}
