# Run by CPack before it packs. Below /usr, Debian's Python looks into lib/python3 and not, as below /usr/local, into lib/python3.X; it finds the package by
# itself there, so the launcher needs no path.
file(GLOB sites ${CPACK_TEMPORARY_DIRECTORY}/*/usr/lib/python3.*)
foreach(site ${sites})
  get_filename_component(above ${site} DIRECTORY)
  file(RENAME ${site} ${above}/python3)
endforeach()
file(GLOB launchers ${CPACK_TEMPORARY_DIRECTORY}/*/usr/bin/scree)
foreach(launcher ${launchers})
  file(WRITE ${launcher} "#!/bin/sh\nexec /usr/bin/python3 -m scree \"$@\"\n")
endforeach()
