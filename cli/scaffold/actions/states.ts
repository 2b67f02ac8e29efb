import { enumeration } from '../field-types/enum.ts'
import type { FieldType, FieldWords, Limits } from '../field-types/field-type.ts'
import { rejectLimits } from '../field-types/limits.ts'
import type { Problems } from '../read/command-line-problems.ts'
import { isOfObjects } from '../read/reserved.ts'

/**
 * An enum whose value only actions of the policy change, along these transitions: `states{open>pending>closed}`. A record
 * begins with the default, which is the first state if the field declares none.
 */
export const states: FieldType = {
  ...enumeration,
  name: 'states',
  readLimits: readTransitions,
  rejects: {
    ...enumeration.rejects,
    nullable: 'A record always has a state: remove ? or :null, and add a state like none.',
  },
  check(_field, words, problems) {
    if (words.private)
      problems.add(words.private, 'The actions would show the state: remove the word private.')
  },
}

const HOW =
  "Write 'state:states{open>pending>closed,pending>open}', or without quotes state:states:open/pending/closed,pending/open."

function readTransitions(words: FieldWords, problems: Problems): Limits {
  const { constraints, token } = words
  rejectLimits({ ...words, constraints: [] }, problems)
  const list = problems.once(constraints)
  if (list === null) {
    problems.add({ token, at: 0, text: token }, `The states need their transitions. ${HOW}`)
    return {}
  }
  const chains = list.text.split(',').map((chain) => chain.split(/[>/]/).map((state) => state.trim()))
  const values = [...new Set(chains.flat())]
  const problem = problemOf(values, chains)
  if (problem !== null) problems.add(list, problem)
  return { values, next: nextStates(values, pairsIn(chains)), ...(values[0] && { default: values[0] }) }
}

const pairsIn = (chains: readonly (readonly string[])[]) =>
  chains.flatMap((chain) => chain.slice(1).map((to, at) => [chain[at] ?? '', to] as const))

function problemOf(values: readonly string[], chains: readonly (readonly string[])[]): string | null {
  const wrong = values.find((value) => !/^[a-z][a-z\d_]{0,39}$/.test(value) || isOfObjects(value))
  if (wrong !== undefined)
    return `States begin with a letter from a to z and have small letters, digits and _; ${wrong === '' ? 'one is empty' : `"${wrong}" is not valid`}. ${HOW}`
  const alone = chains.find((chain) => chain.length < 2)
  if (alone !== undefined) return `${alone[0]} has no transition. ${HOW}`
  const all = pairsIn(chains).map((pair) => pair.join('>'))
  const twice = all.find((pair, at) => all.indexOf(pair) < at)
  if (twice !== undefined) return `"${twice}" occurs twice: write it once.`
  const same = pairsIn(chains).find(([from, to]) => from === to)
  return same === undefined ? null : `"${same.join('>')}" is not a transition: remove it.`
}

/** Returns the states that follow each state. */
const nextStates = (values: readonly string[], pairs: readonly (readonly [string, string])[]) =>
  Object.fromEntries(
    values.map((value) => [value, pairs.filter(([from]) => from === value).map(([, to]) => to)]),
  )
