// Checks Quint sources inside one process: a compiler start costs a third of a second, a check
// costs milliseconds. Usage: node check.mjs PACKAGE, where PACKAGE is the folder of the installed
// @informalsystems/quint. Reads one job per line of standard input, answers one line per job.
//
// Job:    { path, source, tests, probes: [names], simulations: [{ main, init, step, invariants,
//           witnesses, samples, steps, seed }], executions: [{ name, variables, before, loop }] };
//           `tests` asks for every `run` whose name ends with Test, as `quint test` does; other runs
//           are helpers. An execution asks whether the temporal definition `name` is true of the
//           states `before` and then those of `loop` again and again, both as comma-separated values
// Answer: { phase, errors: [{ code, message, line }], modules: [{ name, definitions }],
//           unused: [names of helper runs that nothing uses],
//           tests, probes: [{ module, name, status, code, message, line }],
//           simulations: [{ status, witnesses, steps, code, message, line }],
//           executions: [{ holds, or the message of an error }] }
// The job { signatures: true } is answered with the table of builtins.
// Imports of other files are resolved from the folder of `path`; `path` itself need not exist.

import { createRequire } from 'node:module'
import { dirname, basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { Execution } from './temporal.mjs'

const packageFolder = process.argv[2]
const load = createRequire(join(packageFolder, 'package.json'))
const part = name => load(join(packageFolder, 'dist', 'src', name))

const frontend = part('parsing/quintParserFrontend')
const { fileSourceResolver } = part('parsing/sourceResolver')
const { newIdGenerator } = part('idGenerator')
const { analyzeModules } = part('quintAnalyzer')
const { Evaluator } = part('runtime/impl/evaluator')
const { newTraceRecorder } = part('runtime/trace')
const { newRng } = part('rng')
const { toExpr } = part('cliHelpers')
const { getSignatures } = part('types/builtinSignatures')
const { typeToString } = part('ir/IRprinting')
const { resolveErrorLocation } = part('ErrorMessage')

const SEED = 1n
const VERBOSITY = 0
const NOTHING = { modules: [], unused: [], tests: [], probes: [], simulations: [],
  executions: [] }

// A builtin that takes any number of arguments is described for its smallest interesting arity.
function signatures() {
  return Object.fromEntries(
    [...getSignatures()].map(([name, schemeOf]) => {
      const shape = arity => typeToString(schemeOf(arity).type)
      const arity = name === 'matchVariant' ? 3 : 2
      return [name, { type: shape(arity), variadic: shape(arity) !== shape(arity + 2) }]
    })
  )
}

const isTest = definition => definition.name.endsWith('Test')

function describe(error, sourceMap) {
  const place = sourceMap && resolveErrorLocation(sourceMap, error)
  return { code: error.code, message: error.message, line: place ? place.start.line + 1 : 0 }
}

function analyse(path, source) {
  const idGen = newIdGenerator()
  const sources = new Map([[path, source]])
  const first = frontend.parsePhase1fromText(idGen, source, path)
  const resolver = fileSourceResolver(sources)
  const main = resolver.lookupPath(dirname(path), basename(path))
  const second = frontend.parsePhase2sourceResolution(idGen, resolver, main, first)
  const parsed = frontend.parsePhase4toposort(frontend.parsePhase3importAndNameResolution(second))
  const own = new Set(first.modules.map(module => module.name))
  if (parsed.errors.length > 0) {
    return { phase: 'parse', errors: parsed.errors.map(e => describe(e, parsed.sourceMap)), own }
  }
  const [errors] = analyzeModules(parsed.table, parsed.modules)
  if (errors.length > 0) {
    return { phase: 'typecheck', errors: errors.map(e => describe(e, parsed.sourceMap)), own }
  }
  return { phase: 'checked', errors: [], own, parsed: { ...parsed, idGen } }
}

function definitionsOf(parsed, own) {
  return parsed.modules
    .filter(module => own.has(module.name))
    .map(module => ({
      name: module.name,
      definitions: module.declarations
        .filter(declaration => declaration.kind === 'def')
        .map(({ name, qualifier }) => ({ name, qualifier })),
    }))
}

// A run under another name than *Test is only there to be used: `quint test` passes it over.
function unusedRuns(parsed, own) {
  // The table leads from each mention to its definition, and from each definition to itself.
  const mentions = [...parsed.table].filter(([id, definition]) => id !== definition.id)
  const used = new Set(mentions.map(([, definition]) => definition.id))
  return parsed.modules
    .filter(module => own.has(module.name))
    .flatMap(module => module.declarations)
    .filter(d => d.kind === 'def' && d.qualifier === 'run' && !isTest(d) && !used.has(d.id))
    .map(d => d.name)
}

function runDefinition(parsed, module, name) {
  const found = parsed.resolver.collector.definitionsByModule.get(module)?.get(name) ?? []
  const definition = found.find(d => d.kind === 'def')
  if (definition === undefined) return { module, name, status: 'missing' }
  const rng = newRng(SEED)
  const evaluator = new Evaluator(parsed.table, newTraceRecorder(VERBOSITY, rng, 1), rng)
  try {
    const { status, errors } = evaluator.test(definition, 1, 0, () => undefined)
    const error = errors[0] && describe(errors[0], parsed.sourceMap)
    return { module, name, status, ...error }
  } catch (crash) {
    return { module, name, status: 'crashed', code: 'crash', message: String(crash.message) }
  }
}

function simulate(parsed, options) {
  const stage = { ...parsed, args: { main: options.main, input: options.main } }
  const invariant = options.invariants.length > 0 ? options.invariants.join(' and ') : 'true'
  const parts = [options.init, options.step, invariant, ...options.witnesses].map(text =>
    toExpr(stage, text)
  )
  const bad = parts.find(p => p.isLeft())
  if (bad) {
    const error = Array.isArray(bad.value) ? bad.value[0] : bad.value
    return { status: 'argument', witnesses: [], ...describe(error) }
  }
  const [init, step, checked, ...witnesses] = parts.map(p => p.value)
  const rng = newRng(BigInt(options.seed))
  const evaluator = new Evaluator(parsed.table, newTraceRecorder(VERBOSITY, rng, 1), rng)
  const outcome = evaluator.simulate(
    init, step, checked, witnesses, options.samples, options.steps, 1, () => undefined
  )
  const error = outcome.errors[0] && describe(outcome.errors[0], parsed.sourceMap)
  return { status: outcome.status, witnesses: outcome.witnessingTraces,
    steps: outcome.bestTraces[0]?.states.length ?? 0, ...error }
}

function decide(parsed, module, { name, variables, before, loop }) {
  const stage = { ...parsed, args: { main: module, input: module } }
  const evaluate = expression => {
    const rng = newRng(SEED)
    const evaluator = new Evaluator(parsed.table, newTraceRecorder(VERBOSITY, rng, 1), rng)
    const value = evaluator.evaluate(expression)
    if (value.isLeft()) throw new Error(value.value.message)
    return value.value
  }
  const read = text => {
    const expression = toExpr(stage, text)
    if (expression.isLeft()) throw new Error(`${text}: ${expression.value.message}`)
    return expression.value
  }
  const statesOf = text =>
    read(`[${text}]`).args.map(state => {
      const values = variables.length > 1 ? state.args : [state]
      return Object.fromEntries(variables.map((variable, at) => [variable, values[at]]))
    })
  const [first, again] = [statesOf(before), statesOf(loop)]
  const execution = new Execution({
    table: parsed.table, nextId: () => parsed.idGen.nextId(), evaluate,
    states: [...first, ...again], loop: first.length,
  })
  return { holds: execution.truth(read(name), 0) }
}

function answer(job) {
  if (job.signatures) return { signatures: signatures() }
  const { phase, errors, own, parsed } = analyse(job.path, job.source)
  if (parsed === undefined) return { ...NOTHING, phase, errors }
  const modules = definitionsOf(parsed, own)
  const tests = job.tests
    ? modules.flatMap(module =>
        module.definitions
          .filter(d => d.qualifier === 'run' && isTest(d))
          .map(d => runDefinition(parsed, module.name, d.name))
      )
    : []
  const probes = job.probes.map(name => runDefinition(parsed, modules[0].name, name))
  const simulations = job.simulations.map(options => simulate(parsed, options))
  const executions = job.executions.map(asked => {
    try {
      return decide(parsed, modules[0].name, asked)
    } catch (wrong) {
      return { message: String(wrong.message) }
    }
  })
  const unused = unusedRuns(parsed, own)
  return { phase, errors, modules, unused, tests, probes, simulations, executions }
}

// q::debug and the progress bars write to the console; standard output belongs to the answers.
const write = process.stdout.write.bind(process.stdout)
for (const method of ['log', 'debug', 'info']) console[method] = () => undefined

for await (const line of createInterface({ input: process.stdin })) {
  const job = JSON.parse(line)
  let result
  try {
    result = answer(job)
  } catch (crash) {
    const errors = [{ code: 'crash', message: String(crash.stack ?? crash), line: 0 }]
    result = { ...NOTHING, phase: 'crash', errors }
  }
  write(JSON.stringify(result) + '\n')
}
