#include "ring.h"

static int wrap(int at)
{
    return at % 8;
}

int ring_push(ring_t *ring, int value) /* ring_t -> src/ring.h:3 */
{
    int wrapped = wrap(value); /* wrap -> src/ring.c:3 */
    return wrapped;
}
