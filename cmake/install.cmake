# What `make install` puts in place, so that find_package(scree) works afterwards.
include(CMakePackageConfigHelpers)

set(scree_libraries core geometry collision elastic solvers model assembly stepping parallel io pictures recording)
foreach(name ${scree_libraries})
  install(TARGETS scree_${name} EXPORT scree_targets ARCHIVE DESTINATION lib COMPONENT dev)
  install(DIRECTORY src/${name} DESTINATION include/scree COMPONENT dev FILES_MATCHING PATTERN "*.hpp")
endforeach()
install(EXPORT scree_targets NAMESPACE scree:: DESTINATION lib/cmake/scree COMPONENT dev FILE scree-targets.cmake)

file(WRITE ${PROJECT_BINARY_DIR}/scree-config.cmake
"include(CMakeFindDependencyMacro)
find_dependency(Eigen3)
find_dependency(fmt)
find_dependency(nlohmann_json)
find_dependency(pugixml)
find_dependency(OpenMP)
include(\"\${CMAKE_CURRENT_LIST_DIR}/scree-targets.cmake\")
")
write_basic_package_version_file(${PROJECT_BINARY_DIR}/scree-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/scree-config.cmake ${PROJECT_BINARY_DIR}/scree-config-version.cmake
        DESTINATION lib/cmake/scree COMPONENT dev)

if(SCREE_PYTHON)
  include(${CMAKE_CURRENT_LIST_DIR}/package.cmake)
endif()
