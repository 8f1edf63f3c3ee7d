import Foundation
import URLLoading

/// What only programs can decide, and how they are started for that.
extension TransferService {
  /// Asks the program of a task, or stops its transfer until that is there.
  func asked(_ number: Int, _ content: BackgroundQuestion, _ answer: @escaping (BackgroundAnswer) -> Void) {
    guard let job = queue.jobs[number], job.state.phase == .running else { return answer(.cancel) }
    guard isThere(job.session) else {
      stopTransfer(of: job)
      queue.asks(number)
      return considerLaunch(of: job.session)
    }
    ask(job, content, answer)
  }

  private func ask(_ job: Job, _ content: BackgroundQuestion, _ answer: @escaping (BackgroundAnswer) -> Void) {
    lastQuestion += 1
    questions[lastQuestion] = Question(number: job.number, content: content, answer: answer)
    if !tell(job, .asks(question: lastQuestion, content)),
      !tell(job, .asks(question: lastQuestion, content.withoutResponse))
    {
      questions[lastQuestion] = nil
      answer(.performDefaultHandling)
    }
  }

  /// Whether the program of a session can be asked: it knows the tasks. One that comes to know them is asked then.
  private func isThere(_ session: String) -> Bool { attached[session]?.telling.isListing == false }

  /// The date of a task has come: its program may want another request, or none.
  /// - Returns: whether the task waits for it.
  func asksAboutDelayedRequest(_ job: Job) -> Bool {
    // Without a program that can be started nobody would ever answer.
    guard attached[job.session] != nil || sessions[job.session]?.description.launch != nil else { return false }
    queue.asks(job.number)
    // One that is told of its tasks is asked after them.
    guard isThere(job.session), let asking = queue.jobs[job.number] else {
      considerLaunch(of: job.session)
      return true
    }
    askAboutDelayedRequest(asking)
    return true
  }

  private func askAboutDelayedRequest(_ job: Job) {
    ask(job, .delayedRequest) { [unowned self] answer in
      guard case .proceed(let request) = answer else {
        if let job = queue.jobs[job.number] { fail(job, BackgroundFailure(URLError(.cancelled))) }
        return
      }
      if let request, var description = stored(job.number)?.description,
        let newRequest = BackgroundValues.request(request)
      {
        // As of a task that is made: the program is there to hear it.
        if let failure = immediateFailure(of: newRequest), let job = queue.jobs[job.number] {
          return fail(job, failure)
        }
        if BackgroundValues.withoutSecrets(description.request) != nil { changes.erases = true }
        description.request = request
        queue.setAvoidsMetered(newRequest.avoidsMetered, of: job.number)
        changes.blobs[job.number, default: QueueChanges.Blobs()].newRequest = description
      }
      queue.proceed(job.number, hasAsked: true, now: ServiceClock.shared.now)
    }
  }

  /// Nobody is to answer what was asked about a task.
  func dropQuestions(of job: Job) {
    for (number, question) in questions where question.number == job.number { questions[number] = nil }
  }

  /// The program of a task that waits for it is there.
  func programCame(_ job: Job) {
    if job.state.hints.earliestBegin != nil, !job.state.hasAsked {
      askAboutDelayedRequest(job)
    } else {
      // The server asks again.
      queue.proceed(job.number, hasAsked: job.state.hasAsked, now: ServiceClock.shared.now)
    }
  }

  func take(_ answer: BackgroundAnswer, to number: Int, from peer: Peer) {
    guard let question = questions[number], let job = queue.jobs[question.number], job.session == peer.session else {
      return
    }
    questions[number] = nil
    question.answer(answer)
  }

  // MARK: Starting programs

  /// Has a program started that is not there, if all of its tasks have ended or one needs it.
  func considerLaunch(of identifier: String) {
    guard attached[identifier] == nil, let session = sessions[identifier], session.description.launch != nil,
      session.launches < Launcher.attempts
    else { return }
    guard queue.hasTasks(identifier), !queue.hasUnfinished(identifier) || queue.hasAsking(identifier) else { return }
    launcher.schedule(identifier, at: max(session.nextLaunch ?? firstLaunch, firstLaunch))
  }

  /// A program has done what it was started for: it may be started as often again.
  func launchHadEffect(_ peer: Peer) {
    guard let identifier = peer.session, var session = sessions[identifier], session.launches > 0 else { return }
    session.launches = 0
    set(session, for: identifier)
  }

  func launchPrograms(now: Date) {
    while let identifier = launcher.takeDue(now: now) {
      guard attached[identifier] == nil, var session = sessions[identifier], let launch = session.description.launch
      else {
        continue
      }
      // The file has no passwords, which the service's own variables may have.
      let environment = session.environments.last?.process?.filled(from: options.environment) ?? options.environment
      let reason = Launcher.start(
        launch, environment: environment, descriptorLimit: options.usualDescriptorLimit)
      if let reason { ServiceLog.write("\(identifier): \(reason)") }
      session.launches += 1
      session.nextLaunch = now.addingTimeInterval(Launcher.delay(after: session.launches))
      set(session, for: identifier)
      if session.launches < Launcher.attempts, let next = session.nextLaunch { launcher.schedule(identifier, at: next) }
    }
  }
}
