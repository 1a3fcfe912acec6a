extern "C" __global__ void for_show(const float* a, float* o, long R, long C) {}
