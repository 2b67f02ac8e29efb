import { Exit, EXIT } from '../../exit.ts'

/** Converts a name (`AddSubtitle`, `add-subtitle`) to snake_case. Throws for an invalid name. */
export function snakeName(input: string): string {
  const name = input
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toLowerCase()
  if (/^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/.test(name) && name.length <= 80) return name
  throw new Exit(
    EXIT.usage,
    `Invalid name: ${JSON.stringify(input)}. Use up to 80 letters, digits and _, starting with a letter, like add_subtitle.`,
  )
}
