import { constantOf, quoted } from '../code/snippets.ts'
import type { Field } from '../field-types/field-type.ts'
import type { Model } from '../model.ts'
import { camel, capital, withArticle, wordsOf } from '../read/names.ts'
import { pluralOf } from '../read/plurals.ts'
import type { Action } from './action.ts'
import { stateOf } from './actions.ts'

/** The variables about actions, for all templates. */
export function actionsData({ names, fields, actions }: Model): object {
  const field = stateOf(fields)
  const state = field && stateData(field, actions)
  const changed = (action: Action) =>
    state && action.state ? { column: state.column, to: quoted(action.state) } : null
  const mayCode = (action: Action) => {
    const change = changed(action)
    const follows = change && ` && ${state?.next}[${names.record}.${change.column}]?.includes(${change.to})`
    return `may(${names.record}, '${action.verb}')${follows ?? ''}`
  }
  const first =
    field && actions.find(({ state }) => state && field.next?.[String(field.default)]?.includes(state))
  return {
    aRecord: withArticle(names.human),
    state,
    actions: actions.map((action) => {
      const change = changed(action)
      const rule = `can${capital(action.verb)}`
      return {
        ...action,
        rule,
        changes: change ? `{ ${change.column}: ${change.to} }` : '{}',
        may: mayCode(action),
      }
    }),
    verbs: actions.map(({ verb }) => quoted(verb)).join(' | '),
    paths: actions.map(({ path }) => quoted(path)).join(', '),
    // The button that the browser test presses on a new record.
    firstButton: first ?? actions.find(({ state }) => !state) ?? null,
  }
}

function stateData(field: Field, actions: readonly Action[]) {
  const { column, label, next = {} } = field
  const [from = '', [to] = []] = Object.entries(next).find(([, states]) => states.length > 0) ?? []
  const values = constantOf(field)
  return {
    column,
    human: label.toLowerCase(),
    many: pluralOf(label.toLowerCase()),
    values,
    value: `(typeof ${values})[number]`,
    constant: `NEXT_${values}`,
    // The variable of the views.
    next: camel(['next', ...wordsOf(values)]),
    pairs: Object.entries(next).map(([state, states]) => `${state}: [${states.map(quoted).join(', ')}]`),
    targets: actions
      .flatMap(({ state, path }) => (state ? `[${quoted(state)}, ${quoted(path)}]` : []))
      .join(', '),
    from,
    first: actions.find(({ state }) => state === to),
  }
}
