// Has no interface: the linker takes the object if it is asked for `firstlight_counters`.
