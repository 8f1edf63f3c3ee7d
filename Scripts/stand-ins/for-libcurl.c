// Stands in for librtmp, libldap, liblber and libgssapi_krb5 in a program that has libcurl linked into it, and uses it by this package alone:
// that has libcurl speak http, https and ftp (CURLOPT_PROTOCOLS_STR), offers SOCKS servers no Kerberos (CURLOPT_SOCKS5_AUTH), and logs in by
// Negotiate without libcurl, with the libgssapi_krb5 that it opens at run time. With what they need in turn, half of the time before main would
// be theirs. Every function fails.
#include <stddef.h>
#include <stdint.h>

#define FAILING(type, result, name) \
  type name(void) { return result; }

// librtmp: a session that cannot be had, and no bytes.
FAILING(void *, NULL, RTMP_Alloc)
FAILING(void, , RTMP_Init)
FAILING(void, , RTMP_Close)
FAILING(void, , RTMP_Free)
FAILING(void, , RTMP_SetBufferMS)
FAILING(int, 0, RTMP_SetupURL)
FAILING(int, 0, RTMP_Connect1)
FAILING(int, 0, RTMP_ConnectStream)
FAILING(int, -1, RTMP_Read)
FAILING(int, -1, RTMP_Write)

// liblber.
FAILING(void, , ber_free)
FAILING(void, , ber_bvfree)
FAILING(void, , ber_memfree)
FAILING(void, , ber_memvfree)
FAILING(int, -1, ber_sockbuf_add_io)

// libldap: LDAP_OTHER. curl_version() asks for an option, and takes a failure for a library without a version.
enum { ldap_other = 0x50 };
FAILING(const char *, "LDAP is left out", ldap_err2string)
FAILING(int, ldap_other, ldap_get_option)
FAILING(int, ldap_other, ldap_set_option)
FAILING(int, ldap_other, ldap_init_fd)
FAILING(int, ldap_other, ldap_start_tls)
FAILING(int, ldap_other, ldap_sasl_bind)
FAILING(int, ldap_other, ldap_parse_sasl_bind_result)
FAILING(int, ldap_other, ldap_parse_result)
FAILING(int, ldap_other, ldap_search_ext)
FAILING(int, ldap_other, ldap_get_dn_ber)
FAILING(int, ldap_other, ldap_get_attribute_ber)
FAILING(int, ldap_other, ldap_url_parse)
FAILING(int, ldap_other, ldap_unbind_ext)
FAILING(int, ldap_other, ldap_abandon_ext)
FAILING(int, -1, ldap_pvt_url_scheme2proto)
FAILING(int, -1, ldap_result)
FAILING(int, -1, ldap_msgtype)
FAILING(int, -1, ldap_msgfree)
FAILING(void, , ldap_memfree)
FAILING(void, , ldap_free_urldesc)

// libgssapi_krb5: GSS_S_UNAVAILABLE (RFC 2744, section 3.9.1).
enum { gss_unavailable = 16 << 16 };
const void *GSS_C_NT_HOSTBASED_SERVICE = NULL;
FAILING(uint32_t, gss_unavailable, gss_import_name)
FAILING(uint32_t, gss_unavailable, gss_display_name)
FAILING(uint32_t, gss_unavailable, gss_release_name)
FAILING(uint32_t, gss_unavailable, gss_init_sec_context)
FAILING(uint32_t, gss_unavailable, gss_inquire_context)
FAILING(uint32_t, gss_unavailable, gss_delete_sec_context)
FAILING(uint32_t, gss_unavailable, gss_display_status)
FAILING(uint32_t, gss_unavailable, gss_release_buffer)
FAILING(uint32_t, gss_unavailable, gss_wrap)
FAILING(uint32_t, gss_unavailable, gss_unwrap)
