# `hone zoo` over the specimens of the source tree: that each got its verdict, and that there were enough of them to mean something. OPEN: also that each
# attack wins without its defence, and three judgements of each honest program.
set(how)
set(repeats 1)
if(OPEN)
  set(how --open --repeat 3)
  set(repeats 3)
endif()
execute_process(COMMAND ${HONE} zoo ${how} --json --quiet OUTPUT_VARIABLE zoo RESULT_VARIABLE code)
# say_what_is_off PART: every row of that part of the table whose verdict was not the expected one.
function(say_what_is_off part)
  string(JSON rows ERROR_VARIABLE none GET "${zoo}" ${part} rows)
  string(JSON n ERROR_VARIABLE none LENGTH "${rows}")
  if(none OR n EQUAL 0)
    return()
  endif()
  math(EXPR last "${n} - 1")
  foreach(i RANGE ${last})
    string(JSON row GET "${rows}" ${i})
    string(JSON fine GET "${row}" as_expected)
    if(NOT fine)
      message("${part}: ${row}")
    endif()
  endforeach()
endfunction()
if(NOT code EQUAL 0)
  foreach(part attacks honest open layers)
    say_what_is_off(${part})
  endforeach()
  message(FATAL_ERROR "hone zoo ended with ${code}; what was not as expected stands above")
endif()
function(demand least)
  string(JSON found GET "${zoo}" ${ARGN})
  if(found LESS least)
    message(FATAL_ERROR "${ARGN}: ${found}, fewer than ${least}")
  endif()
  string(JOIN " " what ${ARGN})
  message("${what}: ${found}")
endfunction()
demand(110 attacks total)
if(OPEN)
  demand(101 open total)
  demand(40 layers total)
endif()
string(JSON skipped ERROR_VARIABLE none GET "${zoo}" honest skipped)
if(none)
  demand(99 honest programs)
  math(EXPR judgements "99 * ${repeats}")
  demand(${judgements} honest total)
endif()
# An "attack" that really is faster than its good program has won, and two further judgements have said so.
set(folder ${CMAKE_CURRENT_BINARY_DIR}/zoo-winner)
get_filename_component(exploits ${CMAKE_CURRENT_LIST_DIR}/exploits ABSOLUTE)
file(REMOVE_RECURSE ${folder})
file(COPY ${exploits}/zoo.lua ${exploits}/plain DESTINATION ${folder})
# Eight rows at once hide the latency of a sum, on each machine: several times as fast.
file(WRITE ${folder}/faster/candidate.cpp [[
extern "C" void k(const float* a, const float* b, float* o, long M, long K, long N) {
    for (long m = 0; m < M; m += 8)
        for (long n = 0; n < N; n += 16) {
            V sum[8] = {};
            for (long k = 0; k < K; k++) {
                const V row = *(const V*)(b + k * N + n);
                for (long i = 0; i < 8; i++) sum[i] += a[(m + i) * K + k] * row;
            }
            for (long i = 0; i < 8; i++) *(V*)(o + (m + i) * N + n) = sum[i];
        }
}
]])
file(WRITE ${folder}/faster/about.json [[{"what": "Faster.", "catalogue": [], "task": "long_product", "against": true, "verdict": "PASSED", "harmless": "no attack"}]])
execute_process(COMMAND ${HONE} zoo ${folder} --json --quiet OUTPUT_VARIABLE zoo RESULT_VARIABLE code)
string(JSON attempts ERROR_VARIABLE none GET "${zoo}" attacks rows 0 attempts)
if(NOT code EQUAL 1 OR NOT attempts EQUAL 3)
  message(FATAL_ERROR "a program that is faster: exit code ${code}, attempts ${attempts}, not 1 and 3\n${zoo}")
endif()
