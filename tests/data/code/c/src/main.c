#include "ring.h"
#include <stdio.h>

static int wrap(int at) { return at; }

int main(void)
{
    ring_push(0, wrap(2)); /* ring_push -> src/ring.h:4 */ /* wrap -> src/main.c:4 */
    return 0;
}
