#pragma once

#include <sqlite3.h>

/// `SQLITE_TRANSIENT`, a cast that Swift does not import: SQLite copies what is bound.
static inline sqlite3_destructor_type url_loading_sqlite_transient(void) { return SQLITE_TRANSIENT; }

/// What a file contains cannot run code or change its own schema (sqlite.org/security.html). `sqlite3_db_config` is variadic.
static inline int url_loading_sqlite_defend(sqlite3 *database) {
  return sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
}
