import Foundation
import Testing

@testable import URLLoadingHTTPSemantics

/// Which languages requests ask for, by the variables that say which the user reads.
@Suite struct AcceptLanguageTests {
  private func value(_ environment: [String: String]) -> String? {
    AcceptLanguage.value { environment[$0] }
  }

  @Test(arguments: [
    ("de_DE.UTF-8", "de-DE,de;q=0.9"), ("en_US", "en-US,en;q=0.9"), ("de", "de"), ("fr_CA@euro", "fr-CA,fr;q=0.9"),
    ("sr_RS.UTF-8@latin", "sr-Latn-RS,sr;q=0.9"), ("uz_UZ@cyrillic", "uz-Cyrl-UZ,uz;q=0.9"),
    ("sd_IN@devanagari", "sd-Deva-IN,sd;q=0.9"), ("ca_ES@valencia", "ca-ES-valencia,ca;q=0.9"),
    ("es_419", "es-419,es;q=0.9"), ("zh_TW.Big5", "zh-TW,zh;q=0.9"), ("DE_de.utf8", "de-DE,de;q=0.9"),
    ("yue_HK", "yue-HK,yue;q=0.9"), ("pt-BR", "pt-BR,pt;q=0.9"),
  ])
  func ofALocale(name: String, expected: String) {
    #expect(value(["LANG": name]) == expected)
  }

  @Test(arguments: [
    "C", "POSIX", "C.UTF-8", "C.utf8", "", ".UTF-8", "@euro", "german", "d", "de\r\nX: y", "de_D", "d\u{E9}_DE",
    "/etc/locale", "12_34", "de_DE, en", "_DE",
  ])
  func noneOfWhatNamesNoLanguage(name: String) {
    #expect(value(["LANG": name]) == nil)
  }

  @Test func theFirstVariableThatIsSetCounts() {
    #expect(value([:]) == nil)
    #expect(value(["LC_ALL": "fr_FR", "LC_MESSAGES": "it_IT", "LANG": "de_DE"]) == "fr-FR,fr;q=0.9")
    #expect(value(["LC_ALL": "", "LC_MESSAGES": "it_IT", "LANG": "de_DE"]) == "it-IT,it;q=0.9")
    #expect(value(["LC_ALL": "C", "LANG": "de_DE"]) == nil)
    #expect(value(["LC_CTYPE": "de_DE"]) == nil)
  }

  @Test func aListOfLanguagesCountsUnlessTheLocaleIsC() {
    #expect(value(["LANGUAGE": "de:en", "LANG": "fr_FR.UTF-8"]) == "de,en;q=0.9")
    #expect(value(["LANGUAGE": "de_AT:de_DE:en", "LANG": "fr_FR"]) == "de-AT,de-DE;q=0.9,de;q=0.8,en;q=0.7")
    #expect(value(["LANGUAGE": "de_DE:en_US", "LANG": "de_DE"]) == "de-DE,de;q=0.9,en-US;q=0.8,en;q=0.7")
    #expect(value(["LANGUAGE": "de_DE:en:de", "LANG": "de_DE"]) == "de-DE,en;q=0.9,de;q=0.8")
    #expect(value(["LANGUAGE": "::de:nonsense:C:de_DE.UTF-8:", "LANG": "en_US"]) == "de,de-DE;q=0.9")
    #expect(value(["LANGUAGE": "", "LANG": "en_US"]) == "en-US,en;q=0.9")
    #expect(value(["LANGUAGE": "nonsense", "LANG": "en_US"]) == "en-US,en;q=0.9")
    for locale in [nil, "C", "POSIX", "C.UTF-8"] as [String?] {
      var environment = ["LANGUAGE": "de"]
      environment["LANG"] = locale
      #expect(value(environment) == nil)
    }
  }

  @Test func weightsStayAboveZero() throws {
    let many = (UInt8(ascii: "a")...UInt8(ascii: "z")).map { "x\(Character(UnicodeScalar($0)))_DE" }
    let text = try #require(value(["LANGUAGE": many.joined(separator: ":"), "LANG": "de_DE"]))
    let weights = text.split(separator: ",").map { $0.split(separator: "=").dropFirst().first.map(String.init) }
    #expect(weights == [nil, "0.9", "0.8", "0.7", "0.6", "0.5", "0.4", "0.3", "0.2", "0.1"])
  }
}
