// SQLite, as Debian's libsqlite3-dev installs it.
#ifndef FIRSTLIGHT_SQLITE_H
#define FIRSTLIGHT_SQLITE_H
#include <sqlite3.h>
#endif
