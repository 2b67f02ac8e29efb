import { type Command, Option } from 'commander'

/** Adds the option of the actions. The help loads this module, so that it imports no other of the scaffold. */
export const actionOption = (command: Command): Command =>
  command.addOption(
    new Option(
      '--action <verb>',
      'an action of the policy, with a button and an API route; again for more',
    ).argParser((value, before?: string) => (before === undefined ? value : `${before},${value}`)),
  )

export interface Actions {
  /** The actions of the policy besides the standard ones, separated by commas. */
  readonly action?: string
}

/** Returns the actions of two commands, without repetitions. */
export function bothActions(before: Actions, now: Actions): Actions {
  const all = [before, now].flatMap(({ action }) => action?.split(',') ?? [])
  return all.length === 0 ? {} : { action: [...new Set(all)].join(',') }
}
