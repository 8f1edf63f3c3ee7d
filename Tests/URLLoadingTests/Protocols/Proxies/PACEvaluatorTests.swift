import Testing
import URLLoadingTestServers

@testable import URLLoading

/// Scripts, run by the program that runs them.
@Suite(.timeLimit(.minutes(4))) struct PACEvaluatorTests {
  private static let question = PACQuestion("http://a.example/x")

  private static func tools(_ helper: String? = BuiltProgram.path("urlload-pac")) -> ProxyTools {
    var tools = ProxyTools()
    tools.findHelper = { helper }
    tools.scriptTimeLimit = .seconds(20)
    return tools
  }

  private func ask(_ evaluator: PACEvaluator, _ script: String) async throws -> Result<String, PACFailure> {
    let question = try #require(Self.question)
    return await withCheckedContinuation { continuation in
      evaluator.ask(question, of: script) { continuation.resume(returning: $0) }
    }
  }

  private func outcome(_ script: String, _ tools: ProxyTools = tools()) async throws -> Result<String, PACFailure> {
    let evaluator = PACEvaluator(tools)
    defer { evaluator.close() }
    return try await ask(evaluator, script)
  }

  private func failure(_ script: String, _ tools: ProxyTools = tools()) async throws -> PACFailure {
    switch try await outcome(script, tools) {
    case .failure(let failure): return failure
    case .success(let text):
      Issue.record("no failure but \(text)")
      throw CancellationError()
    }
  }

  @Test func aScriptIsToldURLAndHost() async throws {
    let script = "function FindProxyForURL(url, host) { return 'PROXY ' + url + '|' + host; }"
    #expect(try await outcome(script) == .success("PROXY http://a.example/x|a.example"))
  }

  @Test func theFunctionsOfTheFormat() async throws {
    let script = """
      function FindProxyForURL(url, host) {
        if (dnsDomainIs(host, '.example') && shExpMatch(url, '*/x') && !isPlainHostName(host)
            && isInNet('10.1.2.3', '10.0.0.0', '255.0.0.0')) return 'SOCKS s:1';
        return 'DIRECT';
      }
      """
    #expect(try await outcome(script) == .success("SOCKS s:1"))
  }

  @Test func oneProcessAnswersMany() async throws {
    let evaluator = PACEvaluator(Self.tools())
    defer { evaluator.close() }
    let script = "var n = 0; function FindProxyForURL(url, host) { n++; return 'PROXY p:' + n; }"
    for count in 1...3 { #expect(try await ask(evaluator, script) == .success("PROXY p:\(count)")) }
    #expect(try await ask(evaluator, "function FindProxyForURL() { return 'DIRECT' }") == .success("DIRECT"))
  }

  @Test func aLineBreakInAnAnswerEndsNoLine() async throws {
    #expect(
      try await outcome("function FindProxyForURL() { return 'PROXY a:1;\\nDIRECT' }") == .success("PROXY a:1; DIRECT"))
  }

  @Test(arguments: [
    ("function (", "SyntaxError"), ("function FindProxyForURL() { throw 'no' }", "no"), ("var x = 1", "not defined"),
    ("function FindProxyForURL() { return other() }", "other"), ("<html>", "SyntaxError"),
  ])
  func wrongScripts(script: String, words: String) async throws {
    guard case .script(let text) = try await failure(script) else {
      return #expect(Bool(false), "another failure")
    }
    #expect(text.contains(words), "\(text)")
  }

  @Test func aWrongScriptLeavesTheNextOneAlone() async throws {
    let evaluator = PACEvaluator(Self.tools())
    defer { evaluator.close() }
    #expect((try? await ask(evaluator, "function (").get()) == nil)
    #expect(try await ask(evaluator, "function FindProxyForURL() { return 'DIRECT' }") == .success("DIRECT"))
  }

  @Test func aScriptThatNeverEndsIsEndedByItsDeadline() async throws {
    var tools = Self.tools()
    tools.scriptTimeLimit = .seconds(1)
    #expect(try await failure("function FindProxyForURL() { while (true); }", tools) == .timedOut(1))
    #expect(try await failure("while (true);", tools) == .timedOut(1))
  }

  @Test func aScriptThatNeverEndsIsEndedByItsProcessorTime() async throws {
    var tools = Self.tools()
    tools.scriptTimeLimit = .seconds(180)
    #expect(try await failure("function FindProxyForURL() { while (true); }", tools) == .ended(signal: SIGXCPU))
  }

  @Test func theNextQuestionGetsAProcessOfItsOwn() async throws {
    var tools = Self.tools()
    tools.scriptTimeLimit = .seconds(1)
    let evaluator = PACEvaluator(tools)
    defer { evaluator.close() }
    let script = "function FindProxyForURL(url, host) { while (host == 'a.example'); return 'DIRECT'; }"
    #expect(try await ask(evaluator, script) == .failure(.timedOut(1)))
    #expect(try await ask(evaluator, "function FindProxyForURL() { return 'DIRECT' }") == .success("DIRECT"))
  }

  @Test(
    .disabled(if: Sanitizing.isOn, "a helper with a sanitizer has no limit of its address space"),
    arguments: [
      "function FindProxyForURL() { var a = []; while (true) a.push('x' + a.length); }",
      "function FindProxyForURL() { var a = 'x'; while (true) a += a; }",
      "function f() { f() } function FindProxyForURL() { f() }",
    ])
  func aScriptThatWantsAllMemoryFails(script: String) async throws {
    switch try await failure(script) {
    case .script, .ended: break
    case let other: Issue.record("\(other)")
    }
  }

  @Test func aProcessThatSomebodyHasEndedIsReplaced() async throws {
    let directory = try TemporaryDirectory("pac")
    let helper = try directory.writeScript(
      "helper", "echo $$ > \(directory.path)/pid\nexec \(BuiltProgram.path("urlload-pac"))")
    let evaluator = PACEvaluator(Self.tools(helper.path))
    defer { evaluator.close() }
    let script = "function FindProxyForURL() { return 'DIRECT' }"
    #expect(try await ask(evaluator, script) == .success("DIRECT"))
    let text = try String(contentsOf: directory.file("pid"), encoding: .utf8)
    kill(try #require(pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines))), SIGKILL)
    #expect(try await ask(evaluator, script) == .success("DIRECT"))
  }

  @Test func withoutAHelper() async throws {
    #expect(try await failure("x", Self.tools(nil)) == .noHelper)
    #expect(PACFailure.noHelper.message.contains("swift build --product urlload-pac"))
    guard case .notStarted("/nowhere/pac", let reason) = try await failure("x", Self.tools("/nowhere/pac")) else {
      return #expect(Bool(false), "another failure")
    }
    #expect(reason.contains("No such file"))
  }

  @Test(arguments: ["echo urlload-pac 2; cat", "echo hello; cat", "cat"])
  func anotherProgram(script: String) async throws {
    let directory = try TemporaryDirectory("pac")
    let helper = try directory.writeScript("helper", script)
    var tools = Self.tools(helper.path)
    tools.scriptTimeLimit = .seconds(1)
    let failure = try await failure("x", tools)
    #expect(failure == .otherVersion(path: helper.path) || failure == .timedOut(1), "\(failure)")
  }

  @Test func aProgramThatEndsAtOnce() async throws {
    #expect(try await failure("x", Self.tools("/bin/true")) == .ended(signal: nil))
  }

  @Test func aProgramThatFloods() async throws {
    let directory = try TemporaryDirectory("pac")
    let helper = try directory.writeScript("helper", "exec tr '\\0' x < /dev/zero")
    #expect(try await failure("x", Self.tools(helper.path)) == .ended(signal: nil))
  }

  @Test func withoutTheLibrary() async throws {
    let directory = try TemporaryDirectory("pac")
    let helper = try directory.writeScript("helper", "echo missing libpacparser.so.1")
    let failure = try await failure("x", Self.tools(helper.path))
    #expect(failure == .noLibrary("libpacparser.so.1"))
    #expect(failure.message.contains("libpacparser1"))
  }

  /// Nothing of the program is inherited, and the process ends with its evaluator.
  @Test func theProcessHasNothingOfTheProgram() async throws {
    let directory = try TemporaryDirectory("pac")
    let helper = try directory.writeScript(
      "helper",
      """
      { ls /proc/$$/fd; env; } > \(directory.path)/seen
      echo $$ > \(directory.path)/pid
      exec \(BuiltProgram.path("urlload-pac"))
      """)
    let evaluator = PACEvaluator(Self.tools(helper.path))
    #expect(try await ask(evaluator, "function FindProxyForURL() { return 'DIRECT' }") == .success("DIRECT"))
    let seen = try String(contentsOf: directory.file("seen"), encoding: .utf8).split(separator: "\n").map(String.init)
    // The shell has its script open, by a number above 9.
    #expect(seen.compactMap { Int($0) }.filter { $0 < 10 } == [0, 1, 2], "\(seen)")
    #expect(!seen.contains { $0.hasPrefix("HOME=") || $0.hasPrefix("XDG_") })
    let text = try String(contentsOf: directory.file("pid"), encoding: .utf8)
    let process = try #require(pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)))
    evaluator.close()
    #expect(try await eventually { kill(process, 0) == -1 })
  }
}
