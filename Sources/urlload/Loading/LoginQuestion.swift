import Dispatch
import SFTPProtocol
import URLLoading

/// A question of a login by SSH, asked at the terminal.
struct LoginQuestion {
  /// Questions are asked one after another.
  private static let terminal = DispatchQueue(label: "questions at the terminal")

  private let text: String

  /// Nil if the challenge is not one of SSH's that a user answers by typing.
  init?(_ challenge: URLAuthenticationChallenge) {
    let space = challenge.protectionSpace
    guard space.protocol == "sftp" else { return nil }
    let (host, realm) = (space.host, space.realm ?? "")
    let again = challenge.previousFailureCount > 0 ? "That was not right. " : ""
    switch space.authenticationMethod {
    case SFTPProtocol.passphraseMethod: text = "\(again)Passphrase for the key \(realm): "
    case SFTPProtocol.interactiveMethod: text = "\(again)\(host) asks: \(realm) "
    case NSURLAuthenticationMethodDefault: text = "\(again)Password on \(host): "
    default: return nil
    }
  }

  /// - Parameter answered: gets what was typed, or nil for nothing and without a terminal; on a thread of its own.
  func ask(_ console: Console, _ answered: @escaping @Sendable (String?) -> Void) {
    Self.terminal.async {
      console.hideProgress(true)
      let answer = Terminal.askSecret(text)
      console.hideProgress(false)
      answered(answer?.isEmpty == true ? nil : answer)
    }
  }
}
