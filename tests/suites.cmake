# The tests that are no C++: the black box over HTTP, the kill test, the fuzzers and the house rules.
# Debian's own Python has pytest; another that stands first in PATH need not.
find_program(TILTH_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH REQUIRED)

add_test(NAME architecture COMMAND ${TILTH_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/architecture_test.py ${PROJECT_SOURCE_DIR})
add_test(NAME architecture_test_goes_red COMMAND ${TILTH_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/architecture_test.py --self-test)
add_test(NAME format COMMAND ${PROJECT_SOURCE_DIR}/scripts/check-format.sh)
add_test(NAME library_data COMMAND ${TILTH_PYTHON} -m pytest -q --tb=short -p no:cacheprovider
  ${CMAKE_CURRENT_SOURCE_DIR}/library_data_test.py)
set_tests_properties(architecture architecture_test_goes_red format library_data PROPERTIES LABELS house TIMEOUT 120)
set_tests_properties(library_data PROPERTIES ENVIRONMENT "PYTHONDONTWRITEBYTECODE=1")

if(TARGET tilth)
  add_test(NAME compose COMMAND ${TILTH_PYTHON} -m pytest -q --tb=short -p no:cacheprovider
    ${CMAKE_CURRENT_SOURCE_DIR}/compose_test.py)
  set_tests_properties(compose PROPERTIES LABELS house TIMEOUT 120
    ENVIRONMENT "TILTH_BINARY=$<TARGET_FILE:tilth>;PYTHONDONTWRITEBYTECODE=1")

  set(suites
    analytics as_of authentication backup billing blocks bodies cascade check_order conditional crops damaged_rows entries events
    exchange_rates farms fields financial_summary forwarded full_disk geometry idempotency import library
    library_import listing operator overdue own_history own_keys ownership paging plants projections rate_limit
    rates_fetch recurring regional_prices routes serve shipped_library sign_in soil_ph tasks templates
    tracing
    user_crops values)
  foreach(suite IN LISTS suites)
    add_test(NAME http_${suite} COMMAND ${TILTH_PYTHON} -m pytest -q --tb=short -p no:cacheprovider
      ${CMAKE_CURRENT_SOURCE_DIR}/http/${suite}_test.py)
    set_tests_properties(http_${suite} PROPERTIES LABELS http TIMEOUT 600
      ENVIRONMENT "TILTH_BINARY=$<TARGET_FILE:tilth>;PYTHONDONTWRITEBYTECODE=1")
  endforeach()

  # In a real browser; skipped where that cannot be had.
  add_test(NAME browser COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/browser/run.sh)
  set_tests_properties(browser PROPERTIES LABELS browser TIMEOUT 1200 SKIP_RETURN_CODE 77
    ENVIRONMENT "TILTH_BINARY=$<TARGET_FILE:tilth>;PYTHONDONTWRITEBYTECODE=1")

  # At a certified OpenID Connect provider; skipped where that cannot be had.
  add_test(NAME oidc COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/oidc/run.sh)
  set_tests_properties(oidc PROPERTIES LABELS oidc TIMEOUT 1200 SKIP_RETURN_CODE 77
    ENVIRONMENT "TILTH_BINARY=$<TARGET_FILE:tilth>;PYTHON=${TILTH_PYTHON};PYTHONDONTWRITEBYTECODE=1")

  # What analysts are told to do; skipped where DuckDB and pandas cannot be had.
  add_test(NAME analysts COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/analysts/run.sh)
  set_tests_properties(analysts PROPERTIES LABELS analysts TIMEOUT 1200 SKIP_RETURN_CODE 77
    ENVIRONMENT "TILTH_BINARY=$<TARGET_FILE:tilth>;PYTHONDONTWRITEBYTECODE=1")

  # A real Prometheus asks what the dashboard and the alerts of monitoring/ ask.
  add_test(NAME monitoring COMMAND ${TILTH_PYTHON} -m pytest -q --tb=short -p no:cacheprovider
    ${CMAKE_CURRENT_SOURCE_DIR}/monitoring/monitoring_test.py)
  set_tests_properties(monitoring PROPERTIES LABELS http TIMEOUT 600
    ENVIRONMENT "TILTH_BINARY=$<TARGET_FILE:tilth>;PYTHONDONTWRITEBYTECODE=1")

  # Against its own description; skipped where the packages for it cannot be had.
  add_test(NAME openapi COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/openapi/run.sh)
  set_tests_properties(openapi PROPERTIES LABELS openapi TIMEOUT 3600 SKIP_RETURN_CODE 77
    ENVIRONMENT "TILTH_BINARY=$<TARGET_FILE:tilth>;PYTHONDONTWRITEBYTECODE=1")

  add_test(NAME kill COMMAND ${TILTH_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/crash/kill_test.py)
  add_test(NAME kill_recurring COMMAND ${TILTH_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/crash/recurring_kill_test.py)
  add_test(NAME kill_rebuild COMMAND ${TILTH_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/crash/rebuild_kill_test.py)
  set_tests_properties(kill kill_rebuild kill_recurring PROPERTIES LABELS crash TIMEOUT 3600 COST 1000
    ENVIRONMENT "TILTH_BINARY=$<TARGET_FILE:tilth>;PYTHONDONTWRITEBYTECODE=1")
endif()

# The history's description; skipped where its validator cannot be had.
add_test(NAME asyncapi COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/asyncapi/run.sh)
set_tests_properties(asyncapi PROPERTIES LABELS openapi TIMEOUT 1200 SKIP_RETURN_CODE 77)

# The same and more beside real brokers, which each test starts by itself. Without Java and Maven they
# are skipped; continuous integration must have them.
set(kafka ${CMAKE_CURRENT_SOURCE_DIR}/kafka)
set(with_brokers ${TILTH_PYTHON} ${kafka}/with_brokers.py)
set(pytest ${TILTH_PYTHON} -m pytest -q --tb=short -p no:cacheprovider)
add_test(NAME kafka_log COMMAND ${with_brokers} -- $<TARGET_FILE:kafka_log_tests>)
add_test(NAME kafka_topics COMMAND ${with_brokers} --brokers 3 --
  $<TARGET_FILE:kafka_log_tests> --gtest_filter=KafkaTopicOnThreeBrokers.*)
set(kafka_tests kafka_log kafka_topics)
if(TARGET tilth)
  # Those that ask most of a log; with_brokers.py runs any other of them as well.
  set(on_kafka_too as_of authentication cascade conditional crops entries events farms fields idempotency library
    listing operator own_history plants rate_limit tasks templates)
  set(on_kafka_as_well analytics blocks bodies exchange_rates financial_summary forwarded geometry library_import overdue
    ownership paging rates_fetch recurring routes soil_ph tracing user_crops values)
  list(TRANSFORM on_kafka_too REPLACE "(.+)" "${CMAKE_CURRENT_SOURCE_DIR}/http/\\1_test.py")
  list(TRANSFORM on_kafka_as_well REPLACE "(.+)" "${CMAKE_CURRENT_SOURCE_DIR}/http/\\1_test.py")
  # Of those that take long, what a log can make different.
  set(import ${CMAKE_CURRENT_SOURCE_DIR}/http/import_test.py)
  set(prices ${CMAKE_CURRENT_SOURCE_DIR}/http/regional_prices_test.py)
  list(APPEND on_kafka_as_well ${import}::test_what_is_imported_is_exported_the_same ${import}::test_it_goes_on_from_there
    ${import}::test_a_kill_while_it_imports_leaves_all_or_nothing ${prices}::test_names_are_canonical
    ${prices}::test_what_is_removed_does_not_count)
  add_test(NAME kafka_http COMMAND ${with_brokers} -- ${pytest} ${on_kafka_too})
  add_test(NAME kafka_http_too COMMAND ${with_brokers} -- ${pytest} ${on_kafka_as_well})
  add_test(NAME kafka_nodes COMMAND ${with_brokers} -- ${pytest} ${kafka}/nodes_test.py ${kafka}/sessions_test.py
    ${kafka}/moving_test.py ${kafka}/lost_topic_test.py ${kafka}/foreign_record_test.py)
  add_test(NAME kafka_wire COMMAND ${pytest} ${kafka}/broken_wire_test.py)
  add_test(NAME kafka_secure COMMAND ${with_brokers} --secure -- ${pytest} ${kafka}/secure_test.py)
  add_test(NAME kafka_recurring COMMAND ${with_brokers} -- ${TILTH_PYTHON} ${kafka}/recurring_race_test.py)
  add_test(NAME kafka_ledger COMMAND ${TILTH_PYTHON} ${kafka}/ledger_test.py)
  add_test(NAME kafka_analysts COMMAND ${with_brokers} -- ${CMAKE_CURRENT_SOURCE_DIR}/analysts/run.sh)
  add_test(NAME kafka_monitoring COMMAND ${with_brokers} -- ${pytest}
    ${CMAKE_CURRENT_SOURCE_DIR}/monitoring/monitoring_test.py)
  list(APPEND kafka_tests kafka_http kafka_http_too kafka_nodes kafka_wire kafka_secure kafka_recurring kafka_ledger kafka_analysts
    kafka_monitoring)
endif()
set_tests_properties(${kafka_tests} PROPERTIES LABELS kafka TIMEOUT 1800 COST 500 SKIP_RETURN_CODE 77
  RESOURCE_LOCK kafka ENVIRONMENT "TILTH_BINARY=${PROJECT_BINARY_DIR}/tilth;PYTHONDONTWRITEBYTECODE=1")
if(TARGET tilth)  # beside the others: it waits more than it works
  set_tests_properties(kafka_http_too PROPERTIES RESOURCE_LOCK "")
endif()
add_test(NAME kafka_skips COMMAND ${pytest} ${kafka}/skip_test.py)
set_tests_properties(kafka_skips PROPERTIES LABELS house TIMEOUT 120 ENVIRONMENT "PYTHONDONTWRITEBYTECODE=1")

# The fuzzers need clang, so they have a build directory of their own.
set(fuzzers)
foreach(fuzzer http_reader json record)
  if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/${fuzzer}_fuzz.cc)
    list(APPEND fuzzers ${fuzzer})
  endif()
endforeach()
add_test(NAME fuzzers_build COMMAND ${PROJECT_SOURCE_DIR}/scripts/fuzz.sh --build)
set_tests_properties(fuzzers_build PROPERTIES LABELS fuzz TIMEOUT 1200 FIXTURES_SETUP fuzzers)
foreach(fuzzer IN LISTS fuzzers)
  add_test(NAME fuzz_${fuzzer} COMMAND ${PROJECT_SOURCE_DIR}/scripts/fuzz.sh ${fuzzer})
  set_tests_properties(fuzz_${fuzzer} PROPERTIES LABELS fuzz TIMEOUT 86400 FIXTURES_REQUIRED fuzzers)
endforeach()
