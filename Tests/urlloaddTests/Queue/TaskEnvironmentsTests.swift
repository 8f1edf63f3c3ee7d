import Foundation
import Testing
import URLLoading

@testable import urlloadd

/// Which task has which environment, and what of it is on the disk.
@Suite struct TaskEnvironmentsTests {
  private func environment(_ proxy: String?, dictionary: [String: Any]? = nil) -> TaskEnvironment {
    var description = BackgroundSessionDescription(identifier: "s", program: "/bin/true")
    let variables = proxy.map { ["http_proxy": $0] } ?? [:]
    description.environment = LoadEnvironment(variables: variables, userAgent: "a", home: "/")
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
