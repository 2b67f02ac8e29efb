import type { ApplicationCode } from './application-code.ts'

/** The parts of a resource that its forms depend on. */
export interface DeclaredForm {
  readonly hasVersion: boolean
  /** The values of enums, by their fields. */
  readonly enums: ReadonlyMap<string, readonly string[]>
}

/** Returns the forms of the application's resources, by their names, as far as their declarations are texts. */
export const declaredForms = (code: ApplicationCode): ReadonlyMap<string, DeclaredForm> =>
  new Map([...code.values()].flatMap(formsIn))

const formsIn = (text: string): [string, DeclaredForm][] =>
  [...text.matchAll(/^export const \w+ = resource\('(\w+)', \{([^]*?)^\}\)/gm)].map(
    ([, name = '', options = '']) => [
      name,
      {
        hasVersion: /^ {2}version: true,/m.test(options),
        enums: new Map(
          [...options.matchAll(/^ {4}(\w+): field\.enum\((\w+)\)/gm)].flatMap(
            ([, field = '', constant = '']) => {
              const [, values] = new RegExp(`const ${constant} = \\[([^\\]]*)\\] as const`).exec(text) ?? []
              return values === undefined ? [] : [[field, textsIn(values)] as const]
            },
          ),
        ),
      },
    ],
  )

/** Returns the texts in single quotation marks. */
export const textsIn = (code: string): string[] =>
  [...code.matchAll(/'([^']*)'/g)].map(([, text = '']) => text)
