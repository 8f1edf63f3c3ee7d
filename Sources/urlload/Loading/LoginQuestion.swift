import Dispatch
import SFTPProtocol
import URLLoading

/// What a login by SSH has to know from the user, asked at the terminal.
struct LoginQuestion {
  /// Loads ask one after another.
  private static let terminal = DispatchQueue(label: "questions at the terminal")

  private let text: String

  /// Nil if the challenge is not one of SSH's that a user answers by typing.
  init?(_ challenge: URLAuthenticationChallenge) {
    let space = challenge.protectionSpace
    guard space.protocol == "sftp" else { return nil }
    let (host, realm) = (space.host, space.realm ?? "")
    // The first time it is 1: it is not answered with what the session knows.
    let again = challenge.previousFailureCount > 1 ? "That was not right. " : ""
    switch space.authenticationMethod {
    case SFTPProtocol.passphraseMethod: text = "\(again)Passphrase for the key \(realm): "
    case SFTPProtocol.interactiveMethod: text = "\(again)\(host) asks: \(realm) "
    case NSURLAuthenticationMethodDefault: text = "\(again)Password on \(host): "
    default: return nil
    }
  }

  /// Asks, below the lines of the console.
  /// - Parameter answered: gets what was typed, or nil if that was nothing or if there is no terminal; on a thread of its own.
  func ask(_ console: Console, _ answered: @escaping @Sendable (String?) -> Void) {
    Self.terminal.async {
      console.holdProgress(true)
      let answer = Terminal.askSecret(text)
      console.holdProgress(false)
      answered(answer?.isEmpty == true ? nil : answer)
    }
  }
}
