import Foundation
import Testing

/// What becomes of loads from servers of all conditions (`tls_corpus.py`), by who judges: nobody but the session, whose default handling by
/// a delegate comes to the same; a delegate that accepts everything; one that pins its authority's key; one that rejects everything.
///
/// Where a delegate makes a difference to the error, the cell has both.
///
/// `-name` and the like: loaded in spite of that check, as the metrics say. The failures are those of `TrustOutcome`.
enum TrustTable {
  struct Row: Sendable, CustomTestStringConvertible {
    var condition: String
    var host: String
    var outcomes: [TrustBehaviour: TrustOutcome]
    var testDescription: String { condition }
  }

  static let text = """
    condition                       | host                | nobody    | accepts          | pins      | rejects
    good                            | 127.0.0.1           | loads     | loads            | loads     | untrusted
    expired                         | 127.0.0.1           | expired   | -date            | cancelled | expired
    not yet valid                   | 127.0.0.1           | early     | -date            | cancelled | early
    valid for ever                  | 127.0.0.1           | loads     | loads            | loads     | untrusted
    expired intermediate            | 127.0.0.1           | expired   | -date            | cancelled | expired
    intermediate of the future      | 127.0.0.1           | early     | -date            | cancelled | early
    expired root                    | 127.0.0.1           | expired   | -date            | cancelled | expired
    expired and wrong name          | localhost           | expired   | -date -name      | cancelled | expired
    expired from unknown            | 127.0.0.1           | unknown   | -chain -date     | cancelled | unknown
    expired and revoked             | 127.0.0.1           | expired   | -date -revocation | cancelled | expired
    wrong name                      | localhost           | untrusted | -name            | cancelled | untrusted
    wildcard                        | a.trust.localhost   | loads     | loads            | loads     | untrusted
    wildcard for two labels         | a.b.trust.localhost | untrusted | -name            | cancelled | untrusted
    wildcard for none               | trust.localhost     | untrusted | -name            | cancelled | untrusted
    wildcard inside                 | localhost           | untrusted | -name            | cancelled | untrusted
    wildcard at an end              | abc.trust.localhost | untrusted | -name            | cancelled | untrusted
    wildcard further on             | trust.a.localhost   | untrusted | -name            | cancelled | untrusted
    wildcard for an address         | 127.0.0.1           | untrusted | -name            | cancelled | untrusted
    wildcard of a top level         | trust.localhost     | untrusted | -name            | cancelled | untrusted
    wildcard alone                  | localhost           | untrusted | -name            | cancelled | untrusted
    address                         | 127.0.0.1           | loads     | loads            | loads     | untrusted
    another address                 | 127.0.0.1           | untrusted | -name            | cancelled | untrusted
    address as a name               | 127.0.0.1           | untrusted | -name            | cancelled | untrusted
    name for an address             | 127.0.0.1           | untrusted | -name            | cancelled | untrusted
    another common name             | localhost           | loads     | loads            | loads     | untrusted
    common name alone               | localhost           | loads     | loads            | loads     | untrusted
    address as common name          | 127.0.0.1           | loads     | loads            | loads     | untrusted
    common name beside another      | localhost           | untrusted | -name            | cancelled | untrusted
    no name                         | localhost           | untrusted | -name            | cancelled | untrusted
    second of two names             | localhost           | loads     | loads            | loads     | untrusted
    upper case                      | localhost           | loads     | loads            | loads     | untrusted
    zero byte                       | localhost           | untrusted | -name            | cancelled | untrusted
    self-signed                     | 127.0.0.1           | unknown   | -chain           | cancelled | unknown
    unknown authority               | 127.0.0.1           | unknown   | -chain           | cancelled | unknown
    missing intermediate            | 127.0.0.1           | unknown   | -chain           | cancelled | unknown
    root sent along                 | 127.0.0.1           | loads     | loads            | loads     | untrusted
    superfluous certificates        | 127.0.0.1           | loads     | loads            | loads     | untrusted
    wrong order                     | 127.0.0.1           | loads     | loads            | loads     | untrusted
    no authority                    | 127.0.0.1           | untrusted | -chain           | cancelled | untrusted
    may not sign                    | 127.0.0.1           | untrusted | -chain           | cancelled | untrusted
    too long a path                 | 127.0.0.1           | untrusted | -chain           | cancelled | untrusted
    name constraints kept           | localhost           | loads     | loads            | loads     | untrusted
    name constraints broken         | localhost           | untrusted | -chain           | cancelled | untrusted
    damaged signature               | 127.0.0.1           | untrusted | -chain           | cancelled | untrusted
    other trusted authority         | 127.0.0.1           | loads     | loads            | cancelled | untrusted
    forged authority                | 127.0.0.1           | untrusted | -chain           | cancelled | untrusted
    for clients only                | 127.0.0.1           | untrusted | -chain           | cancelled | untrusted
    for servers                     | 127.0.0.1           | loads     | loads            | loads     | untrusted
    unknown critical extension      | 127.0.0.1           | untrusted | -chain           | cancelled | untrusted
    changed chain                   | 127.0.0.1           | loads     | untrusted        | untrusted | untrusted
    alike but another key           | 127.0.0.1           | loads     | untrusted        | untrusted | untrusted
    RSA 1024                        | 127.0.0.1           | untrusted | -chain           | cancelled | untrusted
    RSA 1024 intermediate           | 127.0.0.1           | untrusted | -chain           | cancelled | untrusted
    SHA-1                           | 127.0.0.1           | untrusted | -chain           | cancelled | untrusted
    SHA-1 intermediate              | 127.0.0.1           | untrusted | -chain           | cancelled | untrusted
    SHA-1 root                      | 127.0.0.1           | loads     | loads            | cancelled | untrusted
    RSA 2048                        | 127.0.0.1           | loads     | loads            | loads     | untrusted
    P-521                           | 127.0.0.1           | loads     | loads            | loads     | untrusted
    Ed25519                         | 127.0.0.1           | loads     | loads            | loads     | untrusted
    TLS 1.1                         | 127.0.0.1           | tls       | tls              | tls       | tls
    TLS 1.2                         | 127.0.0.1           | loads     | loads            | loads     | untrusted
    TLS 1.3                         | 127.0.0.1           | loads     | loads            | loads     | untrusted
    RSA key exchange                | 127.0.0.1           | loads     | loads            | loads     | untrusted
    no encryption                   | 127.0.0.1           | tls       | tls              | tls       | tls
    anonymous                       | 127.0.0.1           | tls       | tls              | tls       | tls
    renegotiation                   | 127.0.0.1           | lost      | lost             | lost      | untrusted
    plain HTTP                      | 127.0.0.1           | tls       | tls              | tls       | tls
    end of handshake                | 127.0.0.1           | tls       | tls              | tls       | tls
    stapled good                    | 127.0.0.1           | loads     | loads            | loads     | untrusted
    stapled revoked                 | 127.0.0.1           | untrusted | -revocation      | cancelled | untrusted
    stapled revoked in TLS 1.2      | 127.0.0.1           | untrusted | -revocation      | cancelled | untrusted
    stapled revoked by responder    | 127.0.0.1           | untrusted | -revocation      | cancelled | untrusted
    stapled revoked by anybody      | 127.0.0.1           | loads     | loads            | loads     | untrusted
    stapled revoked by unknown      | 127.0.0.1           | loads     | loads            | loads     | untrusted
    stapled unknown                 | 127.0.0.1           | loads     | loads            | loads     | untrusted
    stapled out of date             | 127.0.0.1           | loads     | loads            | loads     | untrusted
    stapled of the future           | 127.0.0.1           | loads     | loads            | loads     | untrusted
    stapled damaged                 | 127.0.0.1           | loads     | loads            | loads     | untrusted
    stapled try later               | 127.0.0.1           | loads     | loads            | loads     | untrusted
    must staple good                | 127.0.0.1           | loads     | loads            | loads     | untrusted
    must staple revoked             | 127.0.0.1           | untrusted | -revocation      | cancelled | untrusted
    must staple revoked by responder | 127.0.0.1           | untrusted | -revocation      | cancelled | untrusted
    must staple revoked by anybody  | 127.0.0.1           | untrusted | -revocation      | cancelled | untrusted
    must staple revoked by unknown  | 127.0.0.1           | untrusted | -revocation      | cancelled | untrusted
    must staple unknown             | 127.0.0.1           | untrusted | -revocation      | cancelled | untrusted
    must staple out of date         | 127.0.0.1           | untrusted | -revocation      | cancelled | untrusted
    must staple of the future       | 127.0.0.1           | untrusted | -revocation      | cancelled | untrusted
    must staple nothing             | 127.0.0.1           | untrusted | -revocation      | cancelled | untrusted
    must staple nothing in TLS 1.2  | 127.0.0.1           | untrusted | -revocation      | cancelled | untrusted
    client optional                 | 127.0.0.1           | loads     | loads            | loads     | untrusted
    client required                 | 127.0.0.1           | required  | required         | required  | untrusted
    client required in TLS 1.2      | 127.0.0.1           | tls / required | required    | required  | untrusted
    """

  static let rows: [Row] = text.split(separator: "\n").dropFirst().map { line in
    let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    var row = Row(condition: cells.first ?? "", host: cells.dropFirst().first ?? "", outcomes: [:])
    // What cannot be read is missed by the test.
    for (behaviours, cell) in zip(
      [[TrustBehaviour.none, .byDefault], [.accepts], [.pins], [.rejects]], cells.dropFirst(2))
    {
      let words = cell.components(separatedBy: " / ")
      for (index, behaviour) in behaviours.enumerated() {
        row.outcomes[behaviour] = TrustOutcome(words[min(index, words.count - 1)])
      }
    }
    return row
  }
}
