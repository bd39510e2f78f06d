#ifndef C_CORE_H
#define C_CORE_H

int c_core_called(int value);
int c_core_never_called(int value);

#endif
