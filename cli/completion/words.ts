import type { Command, Option } from 'commander'

/** What may follow a command: `path` are the words that lead there, after `cli`. */
export interface Place {
  readonly path: readonly string[]
  readonly words: readonly Word[]
  /** What may follow an option, for those that take one of a few values. */
  readonly values: readonly { readonly option: string; readonly words: readonly string[] }[]
}

export interface Word {
  readonly word: string
  readonly description: string
}

/** Every place in this command and below it, where something can be completed. */
export function wordsAfter(command: Command, path: readonly string[] = []): Place[] {
  const below = command.commands.flatMap((one) =>
    [one.name(), ...one.aliases()].flatMap((name) => wordsAfter(one, [...path, name])),
  )
  const visible = command.createHelp()
  const options = visible.visibleOptions(command)
  const choices = command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices)
  // Behind `help` stand the names of its neighbours.
  const group = command.name() === 'help' ? command.parent : command
  const words = [
    ...visible
      .visibleCommands(group ?? command)
      .map((one) => ({ word: one.name(), description: one.description() })),
    ...choices.map((word) => ({ word, description: '' })),
    ...options.map((option) => ({ word: option.long ?? option.flags, description: option.description })),
  ]
  return [{ path, words, values: options.filter(takesChoice).map(valuesOf) }, ...below]
}

const takesChoice = ({ argChoices }: Option) => argChoices !== undefined
const valuesOf = ({ long, flags, argChoices = [] }: Option) => ({ option: long ?? flags, words: argChoices })
