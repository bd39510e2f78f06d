// getxattr(2), which Swift's module of glibc leaves out. Only SystemSupport imports this.
#ifndef FIRSTLIGHT_EXTENDED_ATTRIBUTES_H
#define FIRSTLIGHT_EXTENDED_ATTRIBUTES_H
#include <sys/xattr.h>
#endif
