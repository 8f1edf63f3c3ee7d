import Foundation

/// What a transfer by FTP changes on its server, in place of loading or storing a file.
package struct FTPChange: Sendable, Equatable {
  package enum Verb: Sendable, Equatable {
    /// Removes a file or an empty directory.
    case remove
    case makeDirectory
    /// Gives a file or a directory another name on the server.
    /// - Parameter replaces: whether a file of that name may be replaced.
    case move(to: FTPName, replaces: Bool)
    /// Changes nothing, and fails where something is of that name: ahead of an upload that is to replace nothing.
    case findNothing

    /// The code for what the server refuses.
    package var failureCode: URLError.Code {
      switch self {
      case .remove: .cannotRemoveFile
      case .makeDirectory, .findNothing: .cannotCreateFile
      case .move: .cannotMoveFile
      }
    }
  }

  package let verb: Verb
  package let name: FTPName

  package init(_ verb: Verb, of name: FTPName) {
    self.verb = verb
    self.name = name
  }
}
