/* The system clock of libstdc++, replaced by the processor time of the process: std::chrono::system_clock::now(). */

#include <time.h>

int calls = 0;

long long _ZNSt6chrono3_V212system_clock3nowEv(void) {
    struct timespec now;
    calls++;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}
