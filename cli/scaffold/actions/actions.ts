import { constantOf } from '../code/snippets.ts'
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
  const declared = [...new Set(action.split(',').filter(Boolean))]
  const transitions = fields.flatMap((field) => transitionsOf(field, names))
  for (const text of declared) {
    const problem = problemOf(text)
    if (problem !== null) problems.add(wholeOf(`--action ${text}`), problem)
  }
  const all = [...declared.map((text) => actionNamed(text)), ...transitions]
  const twice = all.find(({ verb }, at) => all.findIndex((other) => other.verb === verb) < at)
  if (twice)
    problems.add(
      wholeOf(twice.verb),
      `Two actions have the name ${twice.verb}: use another name for one of them.`,
    )
  const withStates = fields.filter(({ next }) => next)
  if (withStates.length > 1)
    problems.add(
      wholeOf(withStates[1]?.name ?? ''),
      `${names.titles} have two fields with states, whose actions would have the same names. Make one of them an enum.`,
    )
  const [state] = withStates
  const other = state && fields.find((field) => constantOf(field) === `NEXT_${constantOf(state)}`)
  if (other)
    problems.add(
      wholeOf(other.name),
      `The states that follow each ${state.name} have the name of this field: use another one.`,
    )
  return all
}

function problemOf(text: string): string | null {
  const strange = strangeCharacter(wholeOf(text))
  if (strange) return strange.message
  const { verb } = actionNamed(text)
  return TAKEN.includes(verb) || isOfObjects(verb)
    ? `${text} has another meaning. Use another verb, like my_${text}.`
    : null
}

function actionNamed(text: string): Action {
  const label = capital(wordsOf(text).join(' '))
  return { ...routeOf(wordsOf(text)), label, message: `${label}: done.` }
}

/** The path is the one that the API derives from the verb. */
function routeOf(words: readonly string[]): Pick<Action, 'verb' | 'path'> {
  const verb = camel(words)
  return { verb, path: verb.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`) }
}

/** Returns an action for each state that follows another one. */
function transitionsOf({ values = [], next = {} }: Field, names: Names): Action[] {
  const reached = values.filter((value) => Object.values(next).some((states) => states.includes(value)))
  return reached.map((state) => {
    const asState = `as ${wordsOf(state).join(' ')}`
    return {
      ...routeOf(['mark', ...wordsOf(state)]),
      label: `Mark ${asState}`,
      message: `${names.title} marked ${asState}.`,
      state,
    }
  })
}

/** Returns the field with states; null without one. */
export const stateOf = (fields: readonly Field[]): Field | null => fields.find(({ next }) => next) ?? null
