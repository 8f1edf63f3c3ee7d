import URLLoading

/// How the delegate of a check's session answers what it is asked.
struct DelegateAnswers: Sendable {
  typealias Challenge = (disposition: URLSession.AuthChallengeDisposition, credential: URLCredential?)

  /// By the count of challenges of the same ``Challenger`` before.
  var challenge: @Sendable (Int) -> Challenge = { _ in (.performDefaultHandling, nil) }
  var followsRedirects = true
  /// The delegate takes its time: answers wait for ``Recorder/answerDeferredQuestions()``.
  var areDeferred = false

  /// These credentials, one after another, and then none.
  static func credentials(_ credentials: URLCredential...) -> DelegateAnswers {
    DelegateAnswers(challenge: { count in
      count < credentials.count ? (.useCredential, credentials[count]) : (.performDefaultHandling, nil)
    })
  }
}
