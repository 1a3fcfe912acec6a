// Its plan launches nothing of it.
__device__ int unused;
