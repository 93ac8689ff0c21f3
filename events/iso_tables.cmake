# Sets iso_tables to the header of all countries and currencies, and how it is made.
find_path(TILTH_ISO_CODES iso_3166-1.json PATHS /usr/share/iso-codes/json NO_DEFAULT_PATH REQUIRED
  DOC "Folder of iso-codes' JSON files")
set(iso_tables ${PROJECT_BINARY_DIR}/generated/events/values/iso_tables.h)
set(places ${PROJECT_SOURCE_DIR}/events/values/generate_places.py)
add_custom_command(OUTPUT ${iso_tables}
  COMMAND Python3::Interpreter ${places} ${TILTH_ISO_CODES} ${iso_tables}
  DEPENDS ${places} ${TILTH_ISO_CODES}/iso_3166-1.json ${TILTH_ISO_CODES}/iso_4217.json
  COMMENT "Tables of countries and currencies" VERBATIM)
