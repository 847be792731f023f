#ifndef RING_H
#define RING_H
typedef struct ring ring_t;
int ring_push(ring_t *ring, int value); /* ring_t -> src/ring.h:3 */
#endif
