import { Queue as Line } from "./lib/queue.js"; // Queue -> lib/queue.js:3
import push from "some-library";

const line = new Line(); // Queue -> lib/queue.js:3
line.push("first"); // push -> ?
push("of a library");
