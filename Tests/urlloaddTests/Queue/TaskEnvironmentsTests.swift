import Foundation
import Testing
import URLLoading

@testable import urlloadd

/// Which task has which environment, and what of it is on the disk.
@Suite struct TaskEnvironmentsTests {
  private func environment(
    _ proxy: String?, dictionary: [String: Any]? = nil, userAgent: String = "a", agent: String? = nil
  ) -> TaskEnvironment {
    var description = BackgroundSessionDescription(identifier: "s", program: "/bin/true")
    var variables: [String: String] = [:]
    (variables["http_proxy"], variables["SSH_AUTH_SOCK"]) = (proxy, agent)
    description.environment = LoadEnvironment(variables: variables, userAgent: userAgent, home: "/")
    description.proxies = dictionary.flatMap { BackgroundValues.data(of: $0) }
    return TaskEnvironment(description)
  }

  private func proxy(of task: Int, in environments: TaskEnvironments) -> String? {
    environments[environments.number(of: task)]?.process?.variables["http_proxy"]
  }

  /// As the next service reads them.
  private func stored(_ environments: TaskEnvironments) throws -> TaskEnvironments {
    let form = SessionForm(
      description: BackgroundSessionDescription(identifier: "s", program: "/bin/true"), environments: environments)
    return try JSONDecoder().decode(SessionForm.self, from: try JSONEncoder().encode(form)).environments
  }

  @Test func eachTaskKeepsThatOfItsProgram() throws {
    var all = TaskEnvironments()
    all.begin(environment("http://a:1"), at: 1, unfinished: [])
    all.begin(environment(nil), at: 3, unfinished: [1, 2])
    all.begin(environment("http://a:1"), at: 5, unfinished: [1, 2, 3])
    for environments in [all, try stored(all)] {
      #expect(
        (1...5).map { proxy(of: $0, in: environments) } == ["http://a:1", "http://a:1", nil, nil, "http://a:1"])
      // The same environment is the same.
      #expect(environments.number(of: 1) == environments.number(of: 5))
    }
    let middle = all.number(of: 3)
    all.begin(environment("http://b:1"), at: 6, unfinished: [2, 5])
    #expect(all[middle] == nil && proxy(of: 2, in: all) == "http://a:1" && proxy(of: 6, in: all) == "http://b:1")
    // Numbers are not used again.
    all.begin(environment(nil), at: 7, unfinished: [2])
    all.begin(environment("http://c:1"), at: 7, unfinished: [2])
    #expect(Set([middle, all.number(of: 2), all.number(of: 7)]).count == 3)
    #expect(proxy(of: 7, in: all) == "http://c:1")
  }

  @Test func passwordsComeBackWithAProgramThatHasThem() throws {
    var first = TaskEnvironments()
    first.begin(environment("http://u:p@a:1"), at: 1, unfinished: [])
    let text = String(decoding: try JSONEncoder().encode(first.withoutPasswords), as: UTF8.self)
    #expect(!text.contains("u:p@"))
    var next = try stored(first)
    #expect(next[next.number(of: 1)]?.lacksPasswords == true)
    for other in ["http://u:@a:1", "http://u@a:1", "http://u:p@b:1", "https://u:p@a:1"] {
      next.begin(environment(other), at: 2, unfinished: [1])
      #expect(next[next.number(of: 1)]?.lacksPasswords == true, "\(other)")
    }
    next.begin(environment("http://u:new@a:1"), at: 2, unfinished: [1])
    #expect(proxy(of: 1, in: next) == "http://u:new@a:1")
    #expect(next[next.number(of: 1)]?.lacksPasswords == nil && next.number(of: 1) == next.number(of: 2))
    // A password that is known is not lost to a program that has none.
    next.begin(environment("http://u:@a:1"), at: 2, unfinished: [1])
    #expect(proxy(of: 1, in: next) == "http://u:new@a:1")
  }

  /// The program was updated, or its user has logged in again.
  @Test(arguments: ["a", "b"], ["/agent.1", "/agent.2", nil] as [String?])
  func passwordsComeBackThoughTheRestIsAnother(_ userAgent: String, _ agent: String?) throws {
    var first = TaskEnvironments()
    first.begin(environment("http://u:p@a:1", userAgent: "a", agent: "/agent.1"), at: 1, unfinished: [])
    var next = try stored(first)
    next.begin(environment("http://u:new@b:1", userAgent: userAgent, agent: agent), at: 2, unfinished: [1])
    #expect(next[next.number(of: 1)]?.lacksPasswords == true)
    next.begin(environment("http://u:new@a:1", userAgent: userAgent, agent: agent), at: 2, unfinished: [1])
    let own = try #require(next[next.number(of: 1)])
    #expect(own.lacksPasswords == nil && own.process?.variables["http_proxy"] == "http://u:new@a:1")
    #expect(own.process?.userAgent == "a" && own.process?.variables["SSH_AUTH_SOCK"] == "/agent.1")
    #expect(next[next.number(of: 2)]?.process?.userAgent == userAgent)
  }

  /// Those of a queue of an earlier version.
  @Test func passwordsComeBackWhereTheProxiesAloneAreKnown() throws {
    var old = environment(nil, dictionary: ["HTTPProxy": "http://u:p@a"])
    old.process = nil
    var next = try stored(TaskEnvironments(old))
    #expect(next[0]?.lacksPasswords == true)
    next.begin(environment(nil, dictionary: ["HTTPProxy": "http://u:p@b"]), at: 2, unfinished: [1])
    #expect(next[0]?.lacksPasswords == true)
    let program = environment("http://c:1", dictionary: ["HTTPProxy": "http://u:new@a"])
    next.begin(program, at: 2, unfinished: [1])
    let own = try #require(next[0])
    #expect(own.lacksPasswords == nil && own.process == nil && own.proxies == program.proxies)
  }

  @Test func withoutTasksAProgramThatIsStartedHasItsVariables() {
    let own = environment("http://a:1", dictionary: ["HTTPProxy": "http://u:p@b"])
    var session = QueueStore.StoredSession(
      description: BackgroundSessionDescription(identifier: "s", program: "/bin/true"),
      environments: TaskEnvironments(own))
    #expect(session.environments.hasProxies && session.withoutSecrets.environments.isEmpty)
    session.description.launch = .executable(path: "/bin/true")
    let kept = session.withoutSecrets.environments
    #expect(!kept.hasProxies && kept.last?.process == own.process)
    #expect(!TaskEnvironments(environment(nil, dictionary: [:])).hasProxies)
  }

  @Test func aNumberInTheFileMayBeAny() throws {
    let text = #"{"environments": {}, "ranges": [], "lastNumber": 9223372036854775807}"#
    var environments = try JSONDecoder().decode(TaskEnvironments.self, from: Data(text.utf8))
    environments.begin(environment("http://a:1"), at: 1, unfinished: [])
    #expect(proxy(of: 1, in: environments) == "http://a:1")
  }

  @Test func dictionariesHaveNoPasswordsOnTheDisk() throws {
    let full = environment(
      nil,
      dictionary: [
        "HTTPProxy": "https://u:secret@a", "HTTPPort": 1, "kCFProxyPasswordKey": "secret", "SOCKSPassword": "secret",
        "ProxyAutoConfigURLString": "http://u:secret@b/x@y?a:b@c",
      ])
    let cleared = full.withoutPasswords
    let values = try #require(cleared.proxies.flatMap { BackgroundValues.dictionary($0) })
    #expect(cleared.lacksPasswords == true)
    #expect(values["HTTPProxy"] as? String == "https://u:@a" && values["HTTPPort"] as? Int == 1)
    #expect(values["kCFProxyPasswordKey"] as? String == "" && values["SOCKSPassword"] as? String == "")
    #expect(values["ProxyAutoConfigURLString"] as? String == "http://u:@b/x@y?a:b@c")
    #expect(full.completes(cleared) && !cleared.completes(full))
    let open = environment(nil, dictionary: ["HTTPEnable": true, "HTTPPort": 1.0, "HTTPProxy": "http://u@a"])
    #expect(open.withoutPasswords == open)
  }

  /// A queue of an earlier version says nothing of environments.
  @Test func earlierSessionsGoByTheirDescription() throws {
    var description = BackgroundSessionDescription(identifier: "s", program: "/bin/true")
    description.certificateAuthorityFile = "/ca"
    let form = try JSONDecoder().decode(SessionForm.self, from: try JSONEncoder().encode(description))
    #expect(form.environments.isEmpty && form.description == description)
    let own = LoadEnvironment(variables: [:], userAgent: "service", home: "/")
    let applied = TaskEnvironment(form.description).applied(to: form.description, service: own)
    #expect(applied.environment == own && applied.certificateAuthorityFile == "/ca")
  }
}
