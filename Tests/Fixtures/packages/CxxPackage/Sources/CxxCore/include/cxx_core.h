#ifndef CXX_CORE_H
#define CXX_CORE_H

#ifdef __cplusplus
extern "C" {
#endif

int cxx_core_called(int value);
int cxx_core_never_called(int value);

#ifdef __cplusplus
}
#endif

#endif
