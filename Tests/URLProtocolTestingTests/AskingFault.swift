/// What an `AskingProtocol` does wrong. The raw values are hosts of URLs.
enum AskingFault: String, CaseIterable, Sendable, CustomStringConvertible {
  /// Nothing.
  case none
  // Challenges.
  case neverAsks, failsAtOnce, asksTwice, forgetsFailures, sendsWhileAsked, keepsWhileAsked, hangsAfterLogin
  case wrongHost, wrongRealm, wrongMethod, newRealmEachTime
  // What becomes of the answer.
  case takesAny, takesNone, sendsThenFails, rejectsRight, reusesRefused
  case failsByOtherCode, isEmptyWithoutLogin, losesByteAfterLogin
  // Redirects.
  case followsByItself, leadsElsewhere, respondsByNewURL, repeatsRedirect, sendsBehindRedirect, keepsAfterRedirect
  case loopEndsWell

  var description: String { rawValue }
}
