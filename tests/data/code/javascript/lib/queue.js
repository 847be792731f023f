const { drop } = require("./drop");

class Queue {
  push(entry) {
    if (this.isFull()) drop(this); // isFull -> lib/queue.js:8 // drop -> lib/drop.js:1
    this.entries = [...this.entries, entry];
  }
  isFull() {
    return this.entries.length > limit(); // limit -> lib/queue.js:13
  }
}

function limit() {
  return 10;
}

module.exports = { Queue, limit }; // Queue -> lib/queue.js:3 // limit -> lib/queue.js:13
