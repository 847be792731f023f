"""What operations are called: who does not know a name asks with another word for the same.

Two people rarely choose the same word for a command (Furnas et al., "The vocabulary problem in human-system
communication", CACM 1987), but libraries, languages and shells choose among the same few. The groups are of
words that stand for each other in such names, whatever else they mean in prose. So they are looked for in
names only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

_GROUPS = """
get fetch retrieve lookup read access obtain
set assign put store write
update change modify replace overwrite substitute swap
add insert append push put include
remove delete drop discard exclude erase
create make build construct
clear reset empty
size length len count cardinality
join concat concatenate merge combine
split divide partition separate
slice sublist substring section
all every each forall
any exists
contains includes
find search locate
index position nth
map transform apply
convert cast parse
filter select where keep
reduce fold accumulate aggregate
sum total add
first head front
last end
rest tail remaining
reverse invert backwards flip
sort order arrange
unique distinct duplicates
min minimum smallest least
max maximum largest greatest
mod modulo modulus remainder
pow power exponent exponentiation
div divide division quotient
mul multiply product
sub subtract minus difference
neg negate negative minus
eq equal same
ne neq differ different unequal
lt less smaller
gt greater larger
not negation
print log output debug
repeat times loop iterate
random arbitrary choose pick sample
wait sleep delay pause
start begin launch
stop terminate kill abort
copy clone duplicate
rename move
list sequence array
map dictionary
intersect intersection common shared
union merge combine
keys domain
element item member
flatten nested unnest
check assert verify ensure
fail error throw raise
serialize encode dump
deserialize decode load
increment incr increase
decrement decr decrease
condition conditional predicate
"""


def synonyms(stem: Callable[[str], str]) -> Mapping[str, tuple[str, ...]]:
    """The other words of its groups for the `stem` of each word."""
    found: dict[str, dict[str, None]] = {}
    for group in map(str.split, _GROUPS.strip().splitlines()):
        for word in group:
            others = (other for other in group if stem(other) != stem(word))
            found.setdefault(stem(word), {}).update(dict.fromkeys(others))
    return {word: tuple(others) for word, others in found.items()}
