import URLLoading

/// Logins, for fixtures that have resources which want one. How the class asks is looked at, and what it makes of each answer.
extension URLProtocolConformance {
  private static let size = 70_000

  static let challenges = [
    ConformanceCheck("the right credential gets the whole", abilities: .challenges) { context, _ in
      let place = try await context.protected(size)
      for kind in LoadKind.allCases {
        let session = context.session(answers: .credentials(place.right))
        let outcome = try await session.load(place.resource.request(), by: kind)
        try context.expectAsked(session, place, count: 1, "by \(kind)")
        try context.expectWhole(outcome, of: place.resource, by: "\(kind), with the right credential")
        try await session.close()
      }
    },
    ConformanceCheck("a challenge says who asks for what", abilities: .challenges) { context, _ in
      let place = try await context.protected(size)
      let session = context.session(answers: .credentials(place.right))
      _ = try await session.load(place.resource.request())
      try context.expectAsked(session, place, count: 1, "by data(for:)")
      let spaces = session.recorder.questions.value.challenges.map(\.space)
      // The last one lets in to the resource: a proxy or a host on the way asks before.
      let last = spaces.last.map(Challenger.init)
      for space in spaces where Challenger(space) == last { try context.expectSpace(space, place) }
    },
    ConformanceCheck("a wrong credential gets nothing", abilities: .challenges) { context, _ in
      let place = try await context.protected(size)
      for kind in [LoadKind.dataDelegate, .downloadAsync] {
        let session = context.session(answers: .credentials(place.wrong))
        let outcome = try await session.load(place.resource.request(), by: kind)
        try context.expectRefused(outcome, of: session, place, "with a wrong credential, by \(kind)")
        try context.expectCounts(session, place)
      }
    },
    ConformanceCheck("the right credential after a wrong one", abilities: .challenges) { context, _ in
      let place = try await context.protected(size)
      let session = context.session(answers: .credentials(place.wrong, place.right))
      let outcome = try await session.load(place.resource.request())
      try context.expectCounts(session, place)
      // A class may also fail after the first.
      if session.recorder.questions.value.challenges.count > 1 {
        try context.expectWhole(
          outcome, of: place.resource, by: "data(for:), with the right credential after a wrong one")
      } else {
        try context.expectRefused(outcome, of: session, place, "with a wrong credential")
      }
    },
    ConformanceCheck("what was refused is not used again", abilities: .challenges) { context, _ in
      let place = try await context.protected(size)
      // Also one that was to be kept, which goes for what is accepted.
      for wrong in [place.wrong, place.wrongToKeep] {
        let given = Observed([wrong])
        let answers = DelegateAnswers(challenge: { _ in
          given.update { left -> DelegateAnswers.Challenge in
            left.isEmpty ? (.performDefaultHandling, nil) : (.useCredential, left.removeFirst())
          }
        })
        let session = context.session(answers: answers)
        let refused = try await session.load(place.resource.request())
        try context.expectRefused(refused, of: session, place, "with a wrong credential")
        let count = session.recorder.questions.value.challenges.count
        given.update { $0 = [place.right] }
        let next = try await session.load(place.resource.request())
        try context.expect(
          session.recorder.questions.value.challenges.count > count, place.resource.url,
          "a challenge in the load after one with a wrong credential", "there was none",
          "Forget a credential when it is refused.")
        try context.expectWhole(next, of: place.resource, by: "data(for:), after a wrong credential in the session")
        let other = context.session(answers: .credentials(place.right))
        let outcome = try await other.load(place.resource.request())
        try context.expectWhole(outcome, of: place.resource, by: "data(for:), after a wrong credential elsewhere")
      }
    },
    ConformanceCheck("no credential gets nothing", abilities: .challenges) { context, _ in
      let place = try await context.protected(size)
      let answers: [DelegateAnswers.Challenge] = [
        (.performDefaultHandling, nil), (.useCredential, nil), (.rejectProtectionSpace, nil),
      ]
      for answer in answers {
        let session = context.session(answers: DelegateAnswers(challenge: { _ in answer }))
        let outcome = try await session.load(place.resource.request())
        try context.expectAsked(session, place, count: 1, "by data(for:)")
        try context.expectRefused(outcome, of: session, place, "without a credential")
      }
    },
    ConformanceCheck("a credential that is kept answers the next challenge", abilities: .challenges) { context, _ in
      let place = try await context.protected(size)
      let session = context.session(answers: DelegateAnswers(challenge: { _ in (.useCredential, place.kept) }))
      guard session.session.configuration.urlCredentialStorage != nil, place.kept.persistence == .forSession else {
        return
      }
      for load in ["first", "second"] {
        let outcome = try await session.load(place.resource.request())
        try context.expectWhole(outcome, of: place.resource, by: "data(for:), the \(load) time")
      }
      try context.expectAsked(session, place, count: 1, "in two loads of one session")
    },
    ConformanceCheck("the delegate cancels a challenge", abilities: .challenges) { context, _ in
      let place = try await context.protected(size)
      let answers = DelegateAnswers(challenge: { _ in (.cancelAuthenticationChallenge, nil) })
      for kind in [LoadKind.dataDelegate, .downloadDelegate, .bytes] {
        let session = context.session(answers: answers)
        let outcome = try await session.load(place.resource.request(), by: kind)
        try context.expectCancelled(outcome, place.resource.url)
        try await session.close()
      }
    },
    ConformanceCheck("cancel while the delegate is asked for a credential", abilities: .challenges) { context, _ in
      let place = try await context.protected(size)
      var answers = DelegateAnswers.credentials(place.right)
      answers.areDeferred = true
      try await context.cancelling(place.resource, while: answers)
      let next = context.session(answers: .credentials(place.right))
      let outcome = try await next.load(place.resource.request())
      try context.expectWhole(outcome, of: place.resource, by: "data(for:), after one that was cancelled")
    },
  ]
}
