import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** What the forms of a resource need. */
export interface DeclaredForm {
  readonly hasVersion: boolean
  /** The values of enums, by their fields. */
  readonly enums: ReadonlyMap<string, readonly string[]>
}

/** Returns the forms of the application's resources, by their names, as far as their declarations are texts. */
export const declaredForms = (root: string): ReadonlyMap<string, DeclaredForm> =>
  new Map(
    globSync('app/**/*.ts', { cwd: root, exclude: ['app/framework/**', '**/*.test.ts'] }).flatMap((path) =>
      formsIn(readFileSync(join(root, path), 'utf8')),
    ),
  )

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
