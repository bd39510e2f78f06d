# What find_package(Firstlight) reads. See Documentation/Integrations.md.
include("${CMAKE_CURRENT_LIST_DIR}/Firstlight.cmake")
