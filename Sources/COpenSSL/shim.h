#pragma once

// BF_encrypt has no successor: bcrypt needs a Blowfish whose key schedule is its own.
#define OPENSSL_SUPPRESS_DEPRECATED

#include <openssl/bio.h>
#include <openssl/blowfish.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/engine.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/ocsp.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/provider.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

// Swift sees no macros with arguments. Each function below is one of them, or a loop over a typed stack.

#define COPENSSL_INLINE static inline __attribute__((always_inline))

COPENSSL_INLINE int copenssl_x509_count(const STACK_OF(X509) *stack) { return stack ? sk_X509_num(stack) : 0; }
COPENSSL_INLINE X509 *copenssl_x509_at(const STACK_OF(X509) *stack, int index) { return sk_X509_value(stack, index); }
COPENSSL_INLINE STACK_OF(X509) *copenssl_x509_stack(void) { return sk_X509_new_null(); }
// The stack owns the certificates that are pushed.
COPENSSL_INLINE int copenssl_x509_push(STACK_OF(X509) *stack, X509 *certificate) {
  if (!X509_up_ref(certificate)) return 0;
  if (sk_X509_push(stack, certificate) > 0) return 1;
  X509_free(certificate);
  return 0;
}
COPENSSL_INLINE void copenssl_x509_stack_free(STACK_OF(X509) *stack) { sk_X509_pop_free(stack, X509_free); }

COPENSSL_INLINE int copenssl_name_count(const STACK_OF(X509_NAME) *stack) { return stack ? sk_X509_NAME_num(stack) : 0; }
COPENSSL_INLINE X509_NAME *copenssl_name_at(const STACK_OF(X509_NAME) *stack, int index) {
  return sk_X509_NAME_value(stack, index);
}

// RFC 2253, with UTF-8 as it is.
COPENSSL_INLINE int copenssl_print_name(BIO *output, const X509_NAME *name) {
  return X509_NAME_print_ex(output, name, 0, XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB);
}

COPENSSL_INLINE GENERAL_NAMES *copenssl_subject_names(const X509 *certificate) {
  return (GENERAL_NAMES *)X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
}
COPENSSL_INLINE int copenssl_general_name_count(const GENERAL_NAMES *names) { return sk_GENERAL_NAME_num(names); }
// The bytes of a DNS name or an address; of other kinds, and of what is damaged, NULL.
COPENSSL_INLINE const unsigned char *copenssl_general_name(const GENERAL_NAMES *names, int index, int *kind, int *length) {
  const GENERAL_NAME *name = sk_GENERAL_NAME_value(names, index);
  *kind = name->type;
  const ASN1_STRING *text = NULL;
  if (name->type == GEN_DNS) text = name->d.dNSName;
  if (name->type == GEN_IPADD) text = name->d.iPAddress;
  if (text == NULL) return NULL;
  *length = ASN1_STRING_length(text);
  return ASN1_STRING_get0_data(text);
}
COPENSSL_INLINE void copenssl_general_names_free(GENERAL_NAMES *names) { GENERAL_NAMES_free(names); }

// Whether a certificate says that its server always staples an OCSP response (RFC 7633): its features name status_request, 5.
COPENSSL_INLINE int copenssl_must_staple(const X509 *certificate) {
  TLS_FEATURE *features = (TLS_FEATURE *)X509_get_ext_d2i(certificate, NID_tlsfeature, NULL, NULL);
  if (features == NULL) return 0;
  int found = 0;
  for (int index = 0; index < sk_ASN1_INTEGER_num(features); index++) {
    if (ASN1_INTEGER_get(sk_ASN1_INTEGER_value(features, index)) == 5) found = 1;
  }
  TLS_FEATURE_free(features);
  return found;
}

COPENSSL_INLINE long copenssl_ctx_ask_for_status(SSL_CTX *context) {
  return SSL_CTX_set_tlsext_status_type(context, TLSEXT_STATUSTYPE_ocsp);
}
COPENSSL_INLINE long copenssl_ctx_set_status_callback(
  SSL_CTX *context, int (*callback)(SSL *session, void *argument), void *argument) {
  SSL_CTX_set_tlsext_status_cb(context, callback);
  return SSL_CTX_set_tlsext_status_arg(context, argument);
}
// The stapled OCSP response, in DER; NULL where the server sent none.
COPENSSL_INLINE const unsigned char *copenssl_stapled_response(SSL *session, long *length) {
  const unsigned char *bytes = NULL;
  *length = SSL_get_tlsext_status_ocsp_resp(session, &bytes);
  return *length > 0 ? bytes : NULL;
}
COPENSSL_INLINE unsigned long long copenssl_no_renegotiation(void) { return SSL_OP_NO_RENEGOTIATION; }
COPENSSL_INLINE unsigned long long copenssl_no_ticket(void) { return SSL_OP_NO_TICKET; }

COPENSSL_INLINE int copenssl_object_count(const STACK_OF(X509_OBJECT) *objects) { return sk_X509_OBJECT_num(objects); }
// The certificate among what a store has; NULL where there is something else.
COPENSSL_INLINE X509 *copenssl_object_certificate(const STACK_OF(X509_OBJECT) *objects, int index) {
  return X509_OBJECT_get0_X509(sk_X509_OBJECT_value(objects, index));
}
// Has peers verified, and chains of one's own completed, by this store. libcurl's own store stays what it is: 7.88 fills, or
// exchanges, it after the application's callback.
COPENSSL_INLINE int copenssl_ctx_set_roots(SSL_CTX *context, X509_STORE *store) {
  return SSL_CTX_set1_verify_cert_store(context, store) == 1 && SSL_CTX_set1_chain_cert_store(context, store) == 1;
}
// That store; NULL where none was set.
COPENSSL_INLINE X509_STORE *copenssl_roots(const SSL *session) {
  X509_STORE *store = NULL;
  SSL_get0_verify_cert_store((SSL *)session, &store);
  return store;
}
COPENSSL_INLINE int copenssl_add_chain_certificate(SSL *session, X509 *certificate) {
  return (int)SSL_add1_chain_cert(session, certificate);
}
COPENSSL_INLINE void copenssl_load_dynamic_engines(void) { ENGINE_load_dynamic(); }
// The certificate of a PKCS #11 URI, by libp11's engine; NULL where there is none.
COPENSSL_INLINE X509 *copenssl_load_token_certificate(ENGINE *engine, const char *uri) {
  struct {
    const char *uri;
    X509 *certificate;
  } parameters = {uri, NULL};
  if (ENGINE_ctrl_cmd(engine, "LOAD_CERT_CTRL", 0, &parameters, NULL, 1) != 1) return NULL;
  return parameters.certificate;
}
COPENSSL_INLINE long copenssl_bio_contents(BIO *bio, char **bytes) { return BIO_get_mem_data(bio, bytes); }

#undef COPENSSL_INLINE
