#include "CKeystream.h"

#include <openssl/conf.h>
#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/provider.h>
#include <openssl/rand.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// property(7) reserves names without a dot for OpenSSL.
#define PROPERTY "urlloading.keystream"

enum { block_size = 16, bytes_ahead = 4096 };

static OSSL_LIB_CTX *context;

// MARK: The cipher

/// The state of one EVP_CIPHER_CTX, which one thread at a time uses.
typedef struct {
  EVP_CIPHER_CTX *aes;
  size_t key_size;
  /// Bytes of `stream` that were used.
  size_t used;
  /// Whether the counter of `aes` is ahead of what the caller has encrypted.
  bool is_ahead;
  unsigned char stream[bytes_ahead];
} Keystream;

static const unsigned char zeros[bytes_ahead];

static void free_cipher(void *value) {
  Keystream *cipher = value;
  if (!cipher) return;
  EVP_CIPHER_CTX_free(cipher->aes);
  OPENSSL_clear_free(cipher, sizeof(Keystream));
}

static void *make(const char *name, size_t key_size) {
  Keystream *cipher = OPENSSL_zalloc(sizeof(Keystream));
  // From any provider but this one, which has no AES of its own.
  EVP_CIPHER *aes = EVP_CIPHER_fetch(context, name, PROPERTY "!=yes");
  bool is_whole = cipher && aes && (cipher->aes = EVP_CIPHER_CTX_new()) != NULL &&
                 EVP_EncryptInit_ex2(cipher->aes, aes, NULL, NULL, NULL) == 1;
  EVP_CIPHER_free(aes);
  if (!is_whole) {
    free_cipher(cipher);
    return NULL;
  }
  cipher->key_size = key_size;
  cipher->used = bytes_ahead;
  return cipher;
}

static void *copy(void *value) {
  Keystream *cipher = value;
  Keystream *result = OPENSSL_memdup(cipher, sizeof(Keystream));
  if (!result) return NULL;
  result->aes = EVP_CIPHER_CTX_new();
  if (result->aes && EVP_CIPHER_CTX_copy(result->aes, cipher->aes) == 1) return result;
  free_cipher(result);
  return NULL;
}

/// Encryption and decryption are the same in this mode. A null key or counter leaves the one in use.
static int begin(void *value, const unsigned char *key, size_t key_size, const unsigned char *counter, size_t counter_size,
                 const OSSL_PARAM parameters[]) {
  Keystream *cipher = value;
  if ((key && key_size != cipher->key_size) || (counter && counter_size != block_size)) return 0;
  if (counter) {
    cipher->used = bytes_ahead;
    cipher->is_ahead = false;
  } else if (cipher->is_ahead) {
    // The same key continues at the next block; for another one the counter is not known.
    cipher->used = (cipher->used + block_size - 1) / block_size * block_size;
    return key == NULL;
  }
  return EVP_EncryptInit_ex2(cipher->aes, NULL, key, counter, parameters);
}

static int apply(void *value, unsigned char *output, size_t *written, size_t capacity, const unsigned char *input,
                 size_t count) {
  Keystream *cipher = value;
  if (capacity < count) return 0;
  *written = count;
  while (count > 0) {
    int made = 0;
    if (cipher->used == bytes_ahead) {
      if (count >= bytes_ahead) {
        if (EVP_EncryptUpdate(cipher->aes, output, &made, input, bytes_ahead) != 1) return 0;
        output += bytes_ahead;
        input += bytes_ahead;
        count -= bytes_ahead;
        continue;
      }
      if (EVP_EncryptUpdate(cipher->aes, cipher->stream, &made, zeros, bytes_ahead) != 1) return 0;
      cipher->used = 0;
      cipher->is_ahead = true;
    }
    const unsigned char *stream = cipher->stream + cipher->used;
    if (count == block_size && bytes_ahead - cipher->used >= block_size) {
      uint64_t words[2], key_words[2];
      memcpy(words, input, block_size);
      memcpy(key_words, stream, block_size);
      words[0] ^= key_words[0];
      words[1] ^= key_words[1];
      memcpy(output, words, block_size);
      cipher->used += block_size;
      return 1;
    }
    size_t part = bytes_ahead - cipher->used;
    if (part > count) part = count;
    for (size_t index = 0; index < part; index++) output[index] = input[index] ^ stream[index];
    cipher->used += part;
    output += part;
    input += part;
    count -= part;
  }
  return 1;
}

static int finish(void *value, unsigned char *output, size_t *written, size_t capacity) {
  (void)value, (void)output, (void)capacity;
  *written = 0;
  return 1;
}

static int describe(OSSL_PARAM parameters[], size_t key_size) {
  OSSL_PARAM *parameter = OSSL_PARAM_locate(parameters, OSSL_CIPHER_PARAM_MODE);
  if (parameter && !OSSL_PARAM_set_uint(parameter, EVP_CIPH_CTR_MODE)) return 0;
  parameter = OSSL_PARAM_locate(parameters, OSSL_CIPHER_PARAM_KEYLEN);
  if (parameter && !OSSL_PARAM_set_size_t(parameter, key_size)) return 0;
  parameter = OSSL_PARAM_locate(parameters, OSSL_CIPHER_PARAM_IVLEN);
  if (parameter && !OSSL_PARAM_set_size_t(parameter, block_size)) return 0;
  parameter = OSSL_PARAM_locate(parameters, OSSL_CIPHER_PARAM_BLOCK_SIZE);
  // 1 is OpenSSL's value for a mode that takes any number of bytes.
  return !parameter || OSSL_PARAM_set_size_t(parameter, 1);
}

static int describe_one(void *value, OSSL_PARAM parameters[]) { return describe(parameters, ((Keystream *)value)->key_size); }

/// Accepts and ignores parameters such as padding, as OpenSSL's own cipher does in this mode.
static int change(void *value, const OSSL_PARAM parameters[]) {
  (void)value, (void)parameters;
  return 1;
}

// MARK: The provider

typedef void (*Function)(void);

#define CIPHER(bits)                                                                                    \
  static void *make_##bits(void *provider) {                                                            \
    (void)provider;                                                                                     \
    return make("AES-" #bits "-CTR", bits / 8);                                                         \
  }                                                                                                     \
  static int describe_##bits(OSSL_PARAM parameters[]) { return describe(parameters, bits / 8); }        \
  static const OSSL_DISPATCH functions_##bits[] = {                                                     \
      {OSSL_FUNC_CIPHER_NEWCTX, (Function)make_##bits},                                                 \
      {OSSL_FUNC_CIPHER_FREECTX, (Function)free_cipher},                                                \
      {OSSL_FUNC_CIPHER_ENCRYPT_INIT, (Function)begin},                                                 \
      {OSSL_FUNC_CIPHER_DECRYPT_INIT, (Function)begin},                                                 \
      {OSSL_FUNC_CIPHER_UPDATE, (Function)apply},                                                       \
      {OSSL_FUNC_CIPHER_FINAL, (Function)finish},                                                       \
      {OSSL_FUNC_CIPHER_CIPHER, (Function)apply},                                                       \
      {OSSL_FUNC_CIPHER_GET_PARAMS, (Function)describe_##bits},                                         \
      {OSSL_FUNC_CIPHER_GET_CTX_PARAMS, (Function)describe_one},                                        \
      {OSSL_FUNC_CIPHER_SET_CTX_PARAMS, (Function)change},                                              \
      {OSSL_FUNC_CIPHER_DUPCTX, (Function)copy},                                                        \
      {0, NULL}}

CIPHER(128);
CIPHER(192);
CIPHER(256);

static const OSSL_ALGORITHM ciphers[] = {{"AES-128-CTR", PROPERTY "=yes", functions_128, NULL},
                                         {"AES-192-CTR", PROPERTY "=yes", functions_192, NULL},
                                         {"AES-256-CTR", PROPERTY "=yes", functions_256, NULL},
                                         {NULL, NULL, NULL, NULL}};

static const OSSL_ALGORITHM *query(void *provider, int operation, int *is_not_cached) {
  (void)provider;
  *is_not_cached = 0;
  return operation == OSSL_OP_CIPHER ? ciphers : NULL;
}

static const OSSL_DISPATCH provider_functions[] = {{OSSL_FUNC_PROVIDER_QUERY_OPERATION, (Function)query}, {0, NULL}};

static int start_provider(const OSSL_CORE_HANDLE *handle, const OSSL_DISPATCH *core, const OSSL_DISPATCH **functions,
                          void **provider) {
  (void)core;
  *functions = provider_functions;
  // Opaque to OpenSSL, but not null.
  *provider = (void *)handle;
  return 1;
}

// MARK: The context

/// Whether the configuration file has nothing that a second context would need. The file is only read: loading its modules again
/// would replace settings that all contexts share (ssl_conf) while other threads use them.
static bool is_configuration_plain(void) {
  char *file = CONF_get1_default_config_file();
  if (!file) return false;
  CONF *configuration = NCONF_new(NULL);
  bool is_plain = configuration != NULL;
  if (is_plain && access(file, F_OK) == 0) {
    is_plain = NCONF_load(configuration, file, NULL) == 1;
    const char *start = is_plain ? NCONF_get_string(configuration, NULL, "openssl_conf") : NULL;
    STACK_OF(CONF_VALUE) *modules = start ? NCONF_get_section(configuration, start) : NULL;
    for (int index = 0; is_plain && index < sk_CONF_VALUE_num(modules); index++) {
      const CONF_VALUE *module = sk_CONF_VALUE_value(modules, index);
      // For TLS only.
      if (strcmp(module->name, "ssl_conf") == 0) continue;
      STACK_OF(CONF_VALUE) *providers =
          strcmp(module->name, "providers") == 0 ? NCONF_get_section(configuration, module->value) : NULL;
      is_plain = sk_CONF_VALUE_num(providers) == 1 && strcmp(sk_CONF_VALUE_value(providers, 0)->name, "default") == 0;
    }
  }
  NCONF_free(configuration);
  OPENSSL_free(file);
  return is_plain;
}

static bool is_default(const OSSL_PROVIDER *provider) {
  return provider && strcmp(OSSL_PROVIDER_get0_name(provider), "default") == 0;
}

/// Whether the process gets its algorithms from OpenSSL's default provider.
static bool is_process_plain(void) {
  if (EVP_default_properties_is_fips_enabled(NULL)) return false;
  EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, "AES-128-CTR", NULL);
  EVP_MD *digest = EVP_MD_fetch(NULL, "SHA2-256", NULL);
  EVP_KEYMGMT *keys = EVP_KEYMGMT_fetch(NULL, "EC", NULL);
  bool result = cipher && is_default(EVP_CIPHER_get0_provider(cipher)) && digest &&
                is_default(EVP_MD_get0_provider(digest)) && keys && is_default(EVP_KEYMGMT_get0_provider(keys));
  EVP_CIPHER_free(cipher);
  EVP_MD_free(digest);
  EVP_KEYMGMT_free(keys);
  return result;
}

static void make_context(void) {
  if (!is_process_plain() || !is_configuration_plain()) return;
  OSSL_LIB_CTX *made = OSSL_LIB_CTX_new();
  if (made && OSSL_PROVIDER_load(made, "default") &&
      OSSL_PROVIDER_add_builtin(made, KEYSTREAM_PROVIDER_NAME, start_provider) &&
      OSSL_PROVIDER_load(made, KEYSTREAM_PROVIDER_NAME) && EVP_set_default_properties(made, "?" PROPERTY "=yes") &&
      // The random generator uses AES in counter mode too, with a new key after a few blocks (NIST SP 800-90A, 10.2.1).
      RAND_set_DRBG_type(made, NULL, PROPERTY "!=yes", NULL, NULL)) {
    // Never freed: its ciphers may live as long as the process.
    context = made;
  } else {
    OSSL_LIB_CTX_free(made);
  }
}

bool keystream_is_available(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  ERR_set_mark();
  pthread_once(&once, make_context);
  // Whoever asks OpenSSL for its last error must not find one of ours.
  ERR_pop_to_mark();
  return context != NULL;
}

bool keystream_use_on_this_thread(void) { return keystream_is_available() && OSSL_LIB_CTX_set0_default(context); }
