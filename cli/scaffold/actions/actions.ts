import type { Field } from '../field-types/field-type.ts'
import type { Action } from './action.ts'
import { type Problems, wholeOf } from '../read/command-line-problems.ts'
import { strangeCharacter } from '../read/declared-field.ts'
import { camel, capital, type Names, wordsOf } from '../read/names.ts'
import type { ModelOptions } from '../read/options.ts'
import { isOfObjects } from '../read/reserved.ts'

/** Names of actions that every resource has, or that have another meaning in a policy. */
const TAKEN = [
  'show',
  'create',
  'update',
  'delete',
  'index',
  'new',
  'edit',
  'destroy',
  'become',
  'restore',
  'purge',
]

/** Returns the actions that the options declare, then those that change the state. Reports names that can't be actions. */
export function readActions(
  { action = '' }: ModelOptions,
  { fields, names }: { fields: readonly Field[]; names: Names },
  problems: Problems,
): Action[] {
  const declared = action.split(',').filter(Boolean)
  const transitions = fields.flatMap((field) => transitionsOf(field, names))
  for (const text of declared) {
    const problem = problemOf(text, transitions)
    if (problem !== null) problems.add(wholeOf(`--action ${text}`), problem)
  }
  const withStates = fields.filter(({ next }) => next)
  if (withStates.length > 1)
    problems.add(
      wholeOf(withStates[1]?.name ?? ''),
      `${names.titles} have two fields with states, whose actions would have the same names. Make one of them an enum.`,
    )
  return [...declared.map((text) => actionNamed(text)), ...transitions]
}

function problemOf(text: string, transitions: readonly Action[]): string | null {
  const strange = strangeCharacter(wholeOf(text))
  if (strange) return strange.message
  const { verb } = actionNamed(text)
  if (TAKEN.includes(verb) || isOfObjects(verb))
    return `${text} has another meaning. Use another verb, like my_${text}.`
  return transitions.some((one) => one.verb === verb)
    ? `The states have an action ${verb} already. Use another verb.`
    : null
}

function actionNamed(text: string): Action {
  const words = wordsOf(text)
  const label = capital(words.join(' '))
  return { verb: camel(words), path: words.join('-'), label, done: `${label}: done.` }
}

/** Returns an action for each state that follows another one. */
function transitionsOf({ values = [], next = {} }: Field, names: Names): Action[] {
  const reached = values.filter((value) => Object.values(next).some((states) => states.includes(value)))
  return reached.map((state) => {
    const words = ['mark', ...wordsOf(state)]
    const asState = `as ${wordsOf(state).join(' ')}`
    return {
      verb: camel(words),
      path: words.join('-'),
      label: `Mark ${asState}`,
      done: `${names.title} marked ${asState}.`,
      state,
    }
  })
}

/** Returns the field with states; null without one. */
export const stateOf = (fields: readonly Field[]): Field | null => fields.find(({ next }) => next) ?? null
