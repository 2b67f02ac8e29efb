import type { Example, Field } from './field-type.ts'

/** Returns `Title 7`. Omits the label if it is too long, and appends dots up to the minimum length. */
export const labelled = ({ label, min = 0, max = 255 }: Field): Example<string> =>
  padded(`${label} `, { min, max, filling: '.' })

/** Returns `place-of-birth-7`. */
export const hyphenated = ({ label, min = 0, max = 255 }: Field): Example<string> =>
  padded(`${label.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}-`, { min, max, filling: '0' })

function padded(
  name: string,
  { min, max, filling }: { min: number; max: number; filling: string },
): Example<string> {
  if (max < 6) return digits(max)
  const before = name.length + 6 <= max && /^[a-z0-9]/i.test(name) ? name : ''
  const { value, code } = numbered(before)
  const isShort = min > before.length + 1
  return {
    value: (n) => value(n).padEnd(min, filling),
    code: (n) => (isShort ? `${code(n)}.padEnd(${min}, '${filling}')` : code(n)),
  }
}

/** Returns `someone7@example.org`. */
export const numbered = (before: string, after = ''): Example<string> => ({
  value: (n) => `${before}${n}${after}`,
  code: (n) => `\`${escaped(before)}\${${n}}${after}\``,
})

/** Returns numbers with this many digits: `0007`. */
export function digits(length: number, before = ''): Example<string> {
  const code = (n: string) => `String(${n}).padStart(${length}, '0').slice(-${length})`
  return {
    value: (n) => before + String(n).padStart(length, '0').slice(-length),
    code: (n) => (before === '' ? code(n) : `\`${before}\${${code(n)}}\``),
  }
}

const escaped = (text: string) => text.replaceAll(/[`\\]|\$\{/g, '\\$&')
