import type { ViewSource } from '../view-source.ts'
import type { Mistake } from './unbalanced.ts'

/** Whether an error is about a text that has no properties of a record. */
export const isAboutText = (error: string): boolean => error.includes("does not exist on type 'string'")

/** Returns a loop over the keys of a value, if TypeScript found that its variable is a text. */
export function loopsOverKeys({ parts }: ViewSource, errors: readonly string[]): Mistake[] {
  if (!errors.some(isAboutText)) return []
  return parts
    .filter((part) => part?.kind === 'code' && /\bfor \((?:const|let) \w+ in\b/.test(part.code))
    .map((part) => ({
      start: part?.start ?? 0,
      message: 'for … in gives the keys as texts. Write for … of.',
    }))
}
