# LibTorch from the PyPI wheel: own imported targets instead of find_package(Torch), which wants a CUDA toolkit at configure time.
# Only libtorch_cpu and libc10 are linked; libtorch_cuda is opened at run time where there is a GPU.
if(NOT EXISTS ${HONE_TORCH_DIR}/torch/lib/libtorch_cpu.so)
  message(FATAL_ERROR "LibTorch is not at HONE_TORCH_DIR (\"${HONE_TORCH_DIR}\"): run ./dev build, which fetches it, or configure with -DHONE_TORCH=OFF (preset no-torch)")
endif()
add_library(hone_torch INTERFACE)
target_include_directories(hone_torch SYSTEM INTERFACE ${HONE_TORCH_DIR}/torch/include ${HONE_TORCH_DIR}/torch/include/torch/csrc/api/include)
target_link_libraries(hone_torch INTERFACE ${HONE_TORCH_DIR}/torch/lib/libtorch_cpu.so ${HONE_TORCH_DIR}/torch/lib/libc10.so)
target_link_options(hone_torch INTERFACE -Wl,--allow-shlib-undefined -Wl,-rpath,${HONE_TORCH_DIR}/torch/lib)
