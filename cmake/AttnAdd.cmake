# How the project declares its libraries, tools and TableGen files.

# Every TableGen header target is collected here; all libraries wait for all of them, so that no
# library has to list which dialects it happens to include.
add_custom_target(attn-headers)

# attn_tablegen(<td> <output> <mlir-tblgen arguments>...): one generated file, below the build's include/.
function(attn_tablegen td output)
  set(LLVM_TARGET_DEFINITIONS ${td})
  mlir_tablegen(${output} ${ARGN})
  string(MAKE_C_IDENTIFIER "${CMAKE_CURRENT_BINARY_DIR}/${output}" target)
  string(REGEX REPLACE "^.*_include_attn_" "tablegen_" target "${target}")
  add_custom_target(${target} DEPENDS ${CMAKE_CURRENT_BINARY_DIR}/${output})
  add_dependencies(attn-headers ${target})
endfunction()

# Without the time of its making in it, the header is the same in every clone, and ccache shares what is compiled with it.
add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")

# One precompiled header for the MLIR headers that nearly every file reads: they are most of the
# time of a build.
add_library(attn-pch OBJECT "${CMAKE_SOURCE_DIR}/cmake/pch.cpp")
target_precompile_headers(attn-pch PRIVATE "${CMAKE_SOURCE_DIR}/cmake/pch.h")
set_target_properties(attn-pch PROPERTIES PCH_INSTANTIATE_TEMPLATES ON)

# attn_add_library(<name> <sources>... [APART <sources>...] [LINK <libraries>...]): sources that are APART define or
# use names as no other file of the library may, and are compiled by themselves where a preset joins files.
function(attn_add_library name)
  cmake_parse_arguments(ARG "" "" "APART;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS} ${ARG_APART})
  set_source_files_properties(${ARG_APART} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  set_target_properties(${name} PROPERTIES UNITY_BUILD_CODE_AFTER_INCLUDE "#undef DEBUG_TYPE")
  target_link_libraries(${name} PUBLIC ${ARG_LINK} MLIR LLVM)
  target_precompile_headers(${name} REUSE_FROM attn-pch)
  add_dependencies(${name} attn-headers)
endfunction()

# attn_add_tool(<name> <sources>... [TEST_ONLY] [LINK <libraries>...]): installed, but for those that only tests use.
function(attn_add_tool name)
  cmake_parse_arguments(ARG "TEST_ONLY" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  # The precompiled header is made with -fPIC; an executable must be compiled alike to use it.
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${name} PRIVATE -fPIC)
  target_link_libraries(${name} PRIVATE ${ARG_LINK} MLIR LLVM)
  target_precompile_headers(${name} REUSE_FROM attn-pch)
  add_dependencies(${name} attn-headers)
  if(ARG_TEST_ONLY)
    return()
  endif()
  # Debian keeps libMLIR outside the loader's path; an installed tool must still find it.
  set_target_properties(${name} PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
  # A wheel installs commands beside the interpreter.
  set(folder bin)
  if(SKBUILD)
    set(folder "${SKBUILD_SCRIPTS_DIR}")
  endif()
  install(TARGETS ${name} RUNTIME DESTINATION "${folder}" COMPONENT attn-tools)
endfunction()
