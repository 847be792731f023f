function drop(queue) {
  const limit = queue.entries.length - 1;
  return queue.entries.slice(0, limit);
}

module.exports = { drop }; // drop -> lib/drop.js:1
