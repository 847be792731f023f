/**
 * Replays a trace of a specification against an implementation and finds the first divergence.
 *
 * An adapter is made anew for each trace and has
 *
 *   actions     name of an action in the specification -> function of the picks; may be async
 *   observe()   variables of the specification -> their values in the implementation; may be async
 *
 * Variables that `observe` does not return are not compared.
 */
import { equal, show } from "./itf.js";

/** The trace and the adapter do not fit together: no finding about the implementation. */
export class ReplayError extends Error {
  name = "ReplayError";
}

/**
 * Performs each action of the trace and compares after each. Gives null when all states agree, else
 * { state, differences: [{ variable, expected, actual }], error }: the first state that was not
 * reached, or the step that the implementation refused with `error`.
 */
export async function replay(trace, makeAdapter) {
  const adapter = await makeAdapter();
  for (const state of trace.states) {
    if (state.index > 0) {
      const action = actionOf(adapter, state);
      try {
        await action(state.picks);
      } catch (error) {
        return { state, differences: [], error };
      }
    }
    const differences = compare(state, await adapter.observe());
    if (differences.length > 0) return { state, differences, error: null };
  }
  return null;
}

function actionOf(adapter, state) {
  if (Object.hasOwn(adapter.actions, state.action)) return adapter.actions[state.action];
  throw new ReplayError(
    state.action
      ? `state ${state.index}: the adapter has no action ${show(state.action)}`
      : `state ${state.index} names no action: run Quint with --mbt, and make each alternative of` +
          " `any` a call of a named action",
  );
}

function compare(state, observed) {
  return Object.entries(observed).flatMap(([variable, actual]) => {
    if (!Object.hasOwn(state.variables, variable)) {
      throw new ReplayError(`the trace has no variable ${show(variable)}`);
    }
    const expected = state.variables[variable];
    return equal(expected, actual) ? [] : [{ variable, expected, actual }];
  });
}

/** A divergence in words. */
export function describe({ state, differences, error }) {
  const picks = Object.entries(state.picks).map(([name, value]) => `${name}=${show(value)}`);
  return [
    `state ${state.index}, after ${state.action}(${picks.join(", ")}):`,
    ...(error ? [`  the implementation threw ${error}`] : []),
    ...differences.map(
      ({ variable, expected, actual }) =>
        `  ${variable}: the specification has ${show(expected)}, the implementation ${show(actual)}`,
    ),
  ].join("\n");
}
