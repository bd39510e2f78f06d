# firstlight_instrument(TARGET [NO_INLINING] [GATED])
#   gives each function of the target a guard and links the runtime, as `firstlight flags clang` says.
# firstlight_instrument(TARGET ENTRY_HOOKS)
#   gives each an entry hook, as `firstlight flags gcc` and `flags clang --entry-hooks` say.
# firstlight_order(TARGET FILE [TARGET_GLIBC VERSION])
#   links the target in the order of FILE, which `firstlight order` made. The form of FILE says for
#   which linker: lld, gold or GNU ld. If VERSION, the glibc of the machines that will run the target,
#   loads packed relocations, the linker packs them.

include_guard(GLOBAL)
include(CheckLinkerFlag)

find_program(
  FIRSTLIGHT_EXECUTABLE firstlight
  # The tool installed with this file (share/cmake/Firstlight); behind PATH, that of a clone.
  HINTS ENV FIRSTLIGHT_BIN "${CMAKE_CURRENT_LIST_DIR}/../../../bin"
  PATHS "${CMAKE_CURRENT_LIST_DIR}/../../.build/release"
  DOC "The firstlight command")

# Ends with one line on a call that cannot work.
macro(_firstlight_fail text)
  message(FATAL_ERROR "${CMAKE_CURRENT_FUNCTION}(${target}): ${text}")
endmacro()

# Follows an alias; fails if the target is not one of this project that compilers for C or C++ make.
macro(_firstlight_resolve)
  if(NOT TARGET "${target}")
    _firstlight_fail("there is no such target; call this after add_executable or add_library")
  endif()
  get_target_property(_aliased "${target}" ALIASED_TARGET)
  if(_aliased)
    set(target "${_aliased}")
  endif()
  get_target_property(_type "${target}" TYPE)
  get_target_property(_imported "${target}" IMPORTED)
  get_target_property(_sources "${target}" SOURCES)
  if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
    _firstlight_fail("Firstlight works for Linux, not ${CMAKE_SYSTEM_NAME}")
  endif()
  if(_imported OR _type MATCHES "^(INTERFACE_LIBRARY|UTILITY)$")
    _firstlight_fail("this target is not compiled here")
  endif()
  if(_sources MATCHES "\\.swift(;|$)")
    _firstlight_fail("Swift sources are not supported here; build them with SwiftPM")
  endif()
  if(CMAKE_C_COMPILER_LOADED)
    set(_language C)
  elseif(CMAKE_CXX_COMPILER_LOADED)
    set(_language CXX)
  else()
    _firstlight_fail("the project enables neither C nor CXX")
  endif()
endmacro()

# Fails if the project's compilers cannot set guards.
macro(_firstlight_require_guards)
  foreach(_each IN ITEMS C CXX)
    if(CMAKE_${_each}_COMPILER_LOADED)
      if(NOT CMAKE_${_each}_COMPILER_ID STREQUAL "Clang"
         OR CMAKE_${_each}_COMPILER_VERSION VERSION_LESS 14)
        _firstlight_fail(
          "guards need clang 14 or newer, not ${CMAKE_${_each}_COMPILER_ID} \
${CMAKE_${_each}_COMPILER_VERSION}; pass ENTRY_HOOKS, or configure with -DCMAKE_C_COMPILER=clang \
-DCMAKE_CXX_COMPILER=clang++")
      endif()
    endif()
  endforeach()
  check_linker_flag(${_language} "-fuse-ld=lld" FIRSTLIGHT_LINKS_WITH_lld)
  if(NOT FIRSTLIGHT_LINKS_WITH_lld)
    _firstlight_fail("the compiler finds no lld; install it, so that ld.lld is on PATH")
  endif()
endmacro()

function(firstlight_instrument target)
  cmake_parse_arguments(PARSE_ARGV 1 _arg "NO_INLINING;GATED;ENTRY_HOOKS" "" "")
  if(_arg_UNPARSED_ARGUMENTS)
    _firstlight_fail(
      "unknown argument '${_arg_UNPARSED_ARGUMENTS}'; known: NO_INLINING, GATED, ENTRY_HOOKS")
  endif()
  _firstlight_resolve()
  set(_tool clang)
  set(_options)
  if(_arg_ENTRY_HOOKS)
    # Those of gcc and clang differ only in what keeps clang from warning.
    if(CMAKE_${_language}_COMPILER_ID STREQUAL "GNU")
      set(_tool gcc)
    else()
      list(APPEND _options --entry-hooks)
    endif()
  else()
    _firstlight_require_guards()
  endif()
  if(NOT FIRSTLIGHT_EXECUTABLE)
    _firstlight_fail(
      "firstlight not found; put it on PATH, or configure with -DFIRSTLIGHT_EXECUTABLE=FILE")
  endif()
  if(_arg_NO_INLINING)
    list(APPEND _options --no-inlining)
  endif()
  if(_arg_GATED)
    list(APPEND _options --gated)
  endif()
  execute_process(
    COMMAND "${FIRSTLIGHT_EXECUTABLE}" flags ${_tool} ${_options}
    OUTPUT_VARIABLE _flags ERROR_VARIABLE _errors RESULT_VARIABLE _status
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_STRIP_TRAILING_WHITESPACE)
  if(NOT _status EQUAL 0)
    _firstlight_fail("${FIRSTLIGHT_EXECUTABLE} flags ${_tool} ended with ${_status}: ${_errors}")
  endif()
  target_compile_options(
    "${target}" PRIVATE "$<$<COMPILE_LANGUAGE:C,CXX,OBJC,OBJCXX>:SHELL:${_flags}>")
  # Objects are linked where they are used.
  if(_type MATCHES "^(STATIC|OBJECT)_LIBRARY$")
    target_link_options("${target}" INTERFACE "SHELL:${_flags}")
  else()
    target_link_options("${target}" PRIVATE "SHELL:${_flags}")
  endif()
endfunction()

function(firstlight_order target file)
  cmake_parse_arguments(PARSE_ARGV 2 _arg "" TARGET_GLIBC "")
  if(_arg_UNPARSED_ARGUMENTS)
    _firstlight_fail("unexpected '${_arg_UNPARSED_ARGUMENTS}'; pass one order")
  endif()
  if(DEFINED _arg_TARGET_GLIBC AND NOT _arg_TARGET_GLIBC MATCHES "^[0-9]+\\.[0-9]+$")
    _firstlight_fail("TARGET_GLIBC is '${_arg_TARGET_GLIBC}'; write a version such as 2.31")
  endif()
  _firstlight_resolve()
  if(NOT _type MATCHES "^(EXECUTABLE|SHARED_LIBRARY|MODULE_LIBRARY)$")
    _firstlight_fail("this library is not linked by itself; order what links it")
  endif()
  get_filename_component(file "${file}" ABSOLUTE)
  if(NOT EXISTS "${file}")
    _firstlight_fail("no order at ${file}; make it with: firstlight order app.flp -o ${file}")
  endif()

  # Names of symbols are for lld, names of sections for gold, a script for GNU ld.
  file(STRINGS "${file}" _first REGEX "^[^#/]" LIMIT_COUNT 1)
  set(_check /dev/null)
  if(_first MATCHES "^\\.text : {")
    set(_linker bfd)
    set(_option section-ordering-file)
    set(_needs "GNU ld 2.43 or newer")
    set(_check "${CMAKE_BINARY_DIR}/CMakeFiles/firstlight-check.order")
    file(WRITE "${_check}" ".text : {\n  *(.text.main)\n}\n")
  elseif(_first MATCHES "^\\.text\\.")
    set(_linker gold)
    set(_option section-ordering-file)
    set(_needs "gold (ld.gold on PATH)")
  elseif(_first MATCHES "^:")
    _firstlight_fail("${file} holds traces, not an order; use firstlight order --format lld")
  else()
    set(_linker lld)
    set(_option symbol-ordering-file)
    set(_needs "lld (ld.lld on PATH)")
  endif()
  check_linker_flag(
    ${_language} "-fuse-ld=${_linker};-Wl,--${_option}=${_check}"
    FIRSTLIGHT_ORDERS_WITH_${_linker})
  if(NOT FIRSTLIGHT_ORDERS_WITH_${_linker})
    _firstlight_fail(
      "${file} is an order for ${_needs}, which the compiler does not find; install it, or write \
the order for another linker: firstlight order --format lld, gold or ld")
  endif()

  target_compile_options(
    "${target}" PRIVATE "$<$<COMPILE_LANGUAGE:C,CXX,OBJC,OBJCXX>:-ffunction-sections>")
  target_link_options(
    "${target}" PRIVATE "-fuse-ld=${_linker}" "SHELL:-Xlinker \"--${_option}=${file}\"")
  # glibc loads packed relative relocations since 2.36.
  if(DEFINED _arg_TARGET_GLIBC AND NOT _arg_TARGET_GLIBC VERSION_LESS 2.36)
    set(_packing "-Wl,-z,pack-relative-relocs")
    check_linker_flag(
      ${_language} "-fuse-ld=${_linker};${_packing}" FIRSTLIGHT_PACKS_WITH_${_linker})
    if(NOT FIRSTLIGHT_PACKS_WITH_${_linker})
      _firstlight_fail("${_linker} cannot pack relocations; leave TARGET_GLIBC out, or use lld 15")
    endif()
    target_link_options("${target}" PRIVATE "${_packing}")
  endif()
  # Linked again when the order changes.
  set_property(TARGET "${target}" APPEND PROPERTY LINK_DEPENDS "${file}")
endfunction()
