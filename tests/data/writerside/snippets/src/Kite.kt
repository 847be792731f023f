package kite

import kite.wind.Wind

@Checked
class Kite(val line: String) {
    fun fly(wind: Wind): Boolean {
        return wind.speed > 3 // "}" in text
    }
}

val spare = Kite("braid")
    .copy(line = "steel")
