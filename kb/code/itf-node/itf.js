/**
 * Reads traces in the Informal Trace Format (ITF), the JSON that `quint run --out-itf` writes.
 *
 * | Quint        | JavaScript                                             |
 * |--------------|--------------------------------------------------------|
 * | int          | bigint                                                 |
 * | bool, str    | boolean, string                                        |
 * | List, tuples | array                                                  |
 * | Set          | Set                                                    |
 * | a -> b       | Map                                                    |
 * | records      | object                                                 |
 * | variants     | { tag, value }; value is [], the empty tuple, for none |
 *
 * Set and Map compare structured elements by identity, so ask `has` and `get` of this module.
 */
import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";

const ACTION = "mbt::actionTaken";
const PICKS = "mbt::nondetPicks";

/** The file is no trace; the message says where. */
export class ItfError extends Error {
  name = "ItfError";
}

/** The trace in a file: { status, states }, see `traceOf`. */
export function load(path) {
  const text = readFileSync(path, "utf8");
  let document;
  try {
    document = JSON.parse(text);
  } catch (error) {
    throw new ItfError(`${path}: not JSON: ${error.message}`);
  }
  try {
    return traceOf(document);
  } catch (error) {
    if (error instanceof ItfError) error.message = `${path}: ${error.message}`;
    throw error;
  }
}

/**
 * The trace in parsed JSON. Each state is { index, variables, action, picks }: `action` is "" and
 * `picks` empty without --mbt, and `picks` holds what `nondet` drew, used by the action or not.
 */
export function traceOf(document) {
  if (!Array.isArray(document?.states)) throw new ItfError("not a trace: no list of states");
  return {
    status: document["#meta"]?.status ?? "",
    states: document.states.map(stateOf),
  };
}

function stateOf(raw, index) {
  if (!isObject(raw)) throw new ItfError(`state ${index} is no object`);
  try {
    const { "#meta": _, [ACTION]: action = "", [PICKS]: picks = {}, ...variables } = raw;
    const drawn = Object.entries(fields(picks)).filter(([, pick]) => pick.tag === "Some");
    return {
      index,
      variables: fields(variables),
      action,
      picks: Object.fromEntries(drawn.map(([name, pick]) => [name, pick.value])),
    };
  } catch (error) {
    if (error instanceof ItfError) error.message = `state ${index}: ${error.message}`;
    throw error;
  }
}

/**
 * A value of Quint from its JSON. A record whose fields are exactly `tag` and `value` has the form
 * of a variant in ITF; here both are the same object.
 */
export function decode(value) {
  if (typeof value === "boolean" || typeof value === "string") return value;
  if (Number.isSafeInteger(value)) return BigInt(value); // other tools write small numbers so
  if (Array.isArray(value)) return value.map(decode);
  if (!isObject(value)) throw unreadable(value);
  if (/^-?\d+$/.test(value["#bigint"])) return BigInt(value["#bigint"]);
  if (Array.isArray(value["#tup"])) return value["#tup"].map(decode);
  if (Array.isArray(value["#set"])) return new Set(value["#set"].map(decode));
  if (Array.isArray(value["#map"])) return new Map(value["#map"].map(entry));
  const names = Object.keys(value);
  if (names.some((name) => name.startsWith("#"))) throw unreadable(value);
  if (names.length === 1 && value.tag === "UNIT") return []; // the empty tuple of Apalache
  return fields(value);
}

function entry(pair) {
  if (!Array.isArray(pair) || pair.length !== 2) throw unreadable(pair);
  return pair.map(decode);
}

function fields(record) {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, decode(value)]));
}

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function unreadable(value) {
  return new ItfError(`cannot be read: ${JSON.stringify(value).slice(0, 80)}`);
}

/** Whether two values are the same for Quint: order in sets, maps and records does not count. */
export function equal(left, right) {
  return isDeepStrictEqual(left, right);
}

/** Whether a set has an element, or a map a key, that is equal to `wanted`. */
export function has(collection, wanted) {
  return collection.has(wanted) || [...collection.keys()].some((key) => equal(key, wanted));
}

/** The value of the key that is equal to `wanted`; undefined when there is none. */
export function get(map, wanted) {
  if (map.has(wanted)) return map.get(wanted);
  return [...map].find(([key]) => equal(key, wanted))?.[1];
}

/** A value in the notation of Quint, for messages. */
export function show(value) {
  if (value instanceof Set) return `Set(${[...value].map(show).sort().join(", ")})`;
  if (value instanceof Map) {
    return `Map(${[...value].map(([key, item]) => `${show(key)} -> ${show(item)}`).sort().join(", ")})`;
  }
  if (Array.isArray(value)) return `[${value.map(show).join(", ")}]`;
  if (typeof value === "string") return JSON.stringify(value);
  if (!isObject(value)) return String(value);
  if (typeof value.tag === "string" && "value" in value && Object.keys(value).length === 2) {
    return equal(value.value, []) ? value.tag : `${value.tag}(${show(value.value)})`;
  }
  const shown = Object.entries(value).map(([name, item]) => `${name}: ${show(item)}`);
  return `{ ${shown.sort().join(", ")} }`;
}
