# What `make deb` packs: scree (command, Python package, examples), scree-ranks (its module for MPI, where that is built) and scree-dev (libraries and headers for find_package(scree)).
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME scree)
set(CPACK_PACKAGE_CONTACT "The Scree authors <scree@localhost>")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL scree dev)
if(TARGET scree_mpi)
  list(APPEND CPACK_COMPONENTS_ALL ranks)
endif()
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/debian_layout.cmake)

# Libraries are found by dpkg-shlibdeps; an extension module fits one minor version of Python.
set(Python_EXECUTABLE ${Python3_EXECUTABLE})
find_package(Python COMPONENTS Interpreter REQUIRED)
math(EXPR next_minor "${Python_VERSION_MINOR} + 1")
set(python "${Python_VERSION_MAJOR}.${Python_VERSION_MINOR}")
set(CPACK_DEBIAN_SCREE_PACKAGE_NAME scree)
set(CPACK_DEBIAN_SCREE_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_SCREE_PACKAGE_DEPENDS
    "python3 (>= ${python}~), python3 (<< ${Python_VERSION_MAJOR}.${next_minor}~), python3-numpy, python3-matplotlib, python3-pil, libopenblas0-pthread | libopenblas0")
set(CPACK_DEBIAN_SCREE_PACKAGE_RECOMMENDS "python3-argcomplete, python3-h5py")
set(CPACK_DEBIAN_SCREE_PACKAGE_SUGGESTS "ffmpeg, tetgen | gmsh, python3-meshio, chromium | firefox-esr, paraview, scree-ranks")
set(CPACK_DEBIAN_SCREE_DESCRIPTION "Rigid and deformable bodies, implicitly and exactly: the command scree,
the Python package scree, the viewer's page.")
set(CPACK_DEBIAN_SCREE_PACKAGE_CONTROL_EXTRA
    "${PROJECT_SOURCE_DIR}/tools/packaging/postinst;${PROJECT_SOURCE_DIR}/tools/packaging/prerm")

# The module for several ranks has a package of its own: who runs one process needs no MPI.
set(CPACK_DEBIAN_RANKS_PACKAGE_NAME scree-ranks)
set(CPACK_DEBIAN_RANKS_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_RANKS_PACKAGE_DEPENDS "scree (= ${PROJECT_VERSION}), openmpi-bin")
set(CPACK_DEBIAN_RANKS_DESCRIPTION "Scree on several ranks: the module for MPI and Zoltan.")

set(CPACK_DEBIAN_DEV_PACKAGE_NAME scree-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS
    "libeigen3-dev, libfmt-dev, libsuitesparse-dev, libhdf5-dev, libqhull-dev, nlohmann-json3-dev, libpugixml-dev, zlib1g-dev, libopenblas0-pthread | libopenblas0")
set(CPACK_DEBIAN_DEV_DESCRIPTION "Static libraries and headers of Scree, found by find_package(scree) in CMake.")
include(CPack)
