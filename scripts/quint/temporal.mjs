// Decides temporal formulas on one execution that ends in a loop, from the definitions of the
// operators; Quint's simulator has no evaluator for them. Everything else in a formula is computed by
// Quint's own evaluator. Definitions are unfolded, which ends, since Quint has no recursion.
//
// An action is possible where `successors` finds a next state: assignments, `all`, `any`, `if`,
// `nondet` over sets that can be listed, and conditions.

export class Execution {
  // table: definition by id of its mention; nextId: a new id; evaluate: expression -> literal, throws;
  // states: [{ variable: literal }], of which those from the index `loop` on are repeated for ever.
  constructor({ table, nextId, evaluate, states, loop }) {
    Object.assign(this, { table, nextId, evaluate, states, loop })
  }

  truth(expression, index) {
    return this.value(expression, index).value === true
  }

  value(expression, index, state = this.states[index]) {
    return this.renumbered(this.evaluate(this.plain(expression, index, state)))
  }

  after(index) {
    return index + 1 < this.states.length ? index + 1 : this.loop
  }

  // The states from `index` on, each once.
  from(index) {
    return this.states.map((_, at) => at).filter(at => at >= Math.min(index, this.loop))
  }

  repeated() {
    return this.from(this.loop)
  }

  decide(operator, [first, second], index) {
    const holds = (expression, at) => this.truth(expression, at)
    switch (operator) {
      case 'always':
        return this.from(index).every(at => holds(first, at))
      case 'eventually':
        return this.from(index).some(at => holds(first, at))
      case 'leadsTo':
        return this.from(index).every(
          at => !holds(first, at) || this.from(at).some(later => holds(second, later))
        )
      case 'orKeep':
        return this.takes(first, index) || !this.changes(second, index)
      case 'mustChange':
        return this.takes(first, index) && this.changes(second, index)
      case 'enabled':
        return this.successors(first, index).length > 0
      case 'weakFair':
        return this.isFair(first, second, this.repeated().every(at => this.canChange(first, second, at)))
      case 'strongFair':
        return this.isFair(first, second, this.repeated().some(at => this.canChange(first, second, at)))
    }
  }

  isFair(action, variables, isOwed) {
    const isTaken = at => this.takes(action, at) && this.changes(variables, at)
    return !isOwed || this.repeated().some(isTaken)
  }

  // Whether the step from `index` is one of the action.
  takes(action, index) {
    const next = this.states[this.after(index)]
    return this.successors(action, index).some(state =>
      Object.keys(state).every(name => this.equal(state[name], next[name]))
    )
  }

  changes(expression, index) {
    const [now, next] = [index, this.after(index)].map(at => this.value(expression, at))
    return !this.equal(now, next)
  }

  canChange(action, expression, index) {
    const now = this.value(expression, index)
    return this.successors(action, index).some(
      state => !this.equal(now, this.value(expression, index, { ...this.states[index], ...state }))
    )
  }

  equal(left, right) {
    return this.evaluate(this.app('eq', [left, right])).value
  }

  app(opcode, args) {
    return { kind: 'app', id: this.nextId(), opcode, args }
  }

  // What the action may assign in the state: one object from variables to literals for each way.
  successors(action, index) {
    const unfolded = this.unfold(action)
    if (unfolded) return this.successors(unfolded, index)
    const { kind, opcode, args } = action
    if (kind === 'let' && action.opdef.qualifier === 'nondet') {
      const chosen = this.value(action.opdef.expr.args[0], index)
      return chosen.args.flatMap(element =>
        this.successors(this.substitute(action.expr, new Map([[action.opdef.id, element]])), index)
      )
    }
    if (kind === 'let') return this.successors(action.expr, index)
    if (opcode === 'assign') return [{ [args[0].name]: this.value(args[1], index) }]
    if (opcode === 'actionAny') return args.flatMap(part => this.successors(part, index))
    if (opcode === 'ite') return this.successors(this.truth(args[0], index) ? args[1] : args[2], index)
    if (opcode === 'actionAll') {
      return args.reduce(
        (states, part) =>
          states.flatMap(state => this.successors(part, index).map(more => ({ ...state, ...more }))),
        [{}]
      )
    }
    return this.truth(action, index) ? [{}] : []
  }

  // The body of a user's definition that the expression mentions, with its arguments; else nothing.
  unfold(expression) {
    const definition = this.table.get(expression.id)
    if (definition?.kind !== 'def' || definition.id === expression.id) return undefined
    if (expression.kind === 'name') return definition.expr
    if (expression.kind !== 'app') return undefined
    const { params, expr } = definition.expr
    return this.substitute(expr, new Map(params.map((param, at) => [param.id, expression.args[at]])))
  }

  substitute(expression, values) {
    if (expression.kind === 'name') {
      return values.get(this.table.get(expression.id)?.id) ?? expression
    }
    return this.rebuilt(expression, part => this.substitute(part, values))
  }

  // The expression for one state: values for variables and temporal parts, bodies for definitions.
  plain(expression, index, state) {
    const unfolded = this.unfold(expression)
    if (unfolded) return this.plain(unfolded, index, state)
    const { kind, opcode, args } = expression
    if (kind === 'name' && this.table.get(expression.id)?.kind === 'var') return state[expression.name]
    if (kind === 'let') return this.plain(expression.expr, index, state)
    if (opcode === 'next') return this.value(args[0], this.after(index))
    if (kind === 'app') {
      const decided = this.decide(opcode, args, index)
      if (decided !== undefined) return { kind: 'bool', id: this.nextId(), value: decided }
    }
    return this.rebuilt(expression, part => this.plain(part, index, state))
  }

  // A mention of a definition keeps its id, by which it is looked up.
  rebuilt(expression, change) {
    const id = this.table.has(expression.id) ? expression.id : this.nextId()
    if (expression.kind === 'app') return { ...expression, id, args: expression.args.map(change) }
    if (expression.kind === 'lambda') return { ...expression, id, expr: change(expression.expr) }
    if (expression.kind === 'let') {
      const opdef = { ...expression.opdef, expr: change(expression.opdef.expr) }
      return { ...expression, opdef, expr: change(expression.expr) }
    }
    return expression
  }

  // Literals that the evaluator returns share one id, by which it would confuse them.
  renumbered(literal) {
    const id = this.nextId()
    return literal.kind === 'app'
      ? { ...literal, id, args: literal.args.map(part => this.renumbered(part)) }
      : { ...literal, id }
  }
}
