# A few dozen mutated attacks, others at every run. The seed that is printed brings the same ones again.
string(RANDOM LENGTH 6 ALPHABET 123456789 seed)
set(folder ${CMAKE_CURRENT_BINARY_DIR}/zoo-mutants-${seed})
file(MAKE_DIRECTORY ${folder})
execute_process(COMMAND ${HONE} run ${SCRIPT} --quiet --set mutants=60 --set seed=${seed} --set folder=${EXPLOITS}
  WORKING_DIRECTORY ${folder} RESULT_VARIABLE code)
file(REMOVE_RECURSE ${folder})
if(NOT code EQUAL 0)
  message(FATAL_ERROR "seed ${seed}: hone run ended with ${code}")
endif()
