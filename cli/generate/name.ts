import { Exit, EXIT } from '../exit.ts'

/** A name in snake_case, however it was written: `AddSubtitle`, `add-subtitle`. Throws for what could be no file's name. */
export function snakeName(given: string): string {
  const name = given
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toLowerCase()
  if (/^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/.test(name) && name.length <= 80) return name
  throw new Exit(
    EXIT.usage,
    `${JSON.stringify(given)} is no name: use letters, digits and _, up to 80, with a letter first, like add_subtitle.`,
  )
}
