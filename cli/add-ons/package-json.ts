import type { AddOn } from './add-on.ts'

type Versions = Readonly<Record<string, string>>

interface Package {
  readonly name?: string
  readonly dependencies?: Versions
  readonly pergola?: {
    /** The packages that each add-on of the application brought. */
    readonly addOns?: Readonly<Record<string, readonly string[]>>
  }
}

/** Returns the name of an application, without its scope: `helpdesk` for `@acme/helpdesk`. */
export const nameIn = (packageJson: string): string =>
  (JSON.parse(packageJson) as Package).name?.split('/').at(-1) ?? 'application'

/** Returns the names of the add-ons that an application has. */
export const addedTo = (packageJson: string): readonly string[] =>
  Object.keys((JSON.parse(packageJson) as Package).pergola?.addOns ?? {})

/** Returns package.json with the add-on, and with those of its packages that it lacks. */
export function withAddOn(packageJson: string, { name, packages }: AddOn): string {
  return changed(packageJson, ({ dependencies = {}, pergola = {} }) => {
    const { addOns = {} } = pergola
    const missing = Object.entries(packages).filter(([name]) => !Object.hasOwn(dependencies, name))
    const brought = addOns[name] ?? missing.map(([name]) => name)
    return {
      dependencies: missing.reduce((all, [name, { version }]) => inserted(all, name, version), dependencies),
      pergola: { ...pergola, addOns: inserted(addOns, name, brought) },
    }
  })
}

/** Returns package.json without the add-on, and without the packages that it brought, unless another add-on has them. */
export function withoutAddOn(packageJson: string, { name }: AddOn, others: readonly AddOn[]): string {
  return changed(packageJson, ({ dependencies = {}, pergola = {} }) => {
    const { addOns: { [name]: brought = [], ...addOns } = {}, ...origin } = pergola
    const heirs = new Map(
      brought.map((one) => [one, others.find(({ packages }) => Object.hasOwn(packages, one))]),
    )
    const unused = brought.filter((one) => heirs.get(one) === undefined)
    const rest = Object.entries(addOns).map(([other, own]) => [
      other,
      [...own, ...brought.filter((one) => heirs.get(one)?.name === other)],
    ])
    return {
      dependencies: Object.fromEntries(Object.entries(dependencies).filter(([one]) => !unused.includes(one))),
      pergola: { ...origin, addOns: Object.fromEntries(rest) as typeof addOns },
    }
  })
}

/** Adds a key before the first one that follows in the alphabet. The others keep their order. */
function inserted<Value>(
  record: Readonly<Record<string, Value>>,
  key: string,
  value: Value,
): Record<string, Value> {
  const others = Object.entries(record).filter(([other]) => other !== key)
  const at = others.findIndex(([other]) => other > key)
  return Object.fromEntries(others.toSpliced(at === -1 ? others.length : at, 0, [key, value]))
}

/** Changes these two keys, and removes them if they become empty. All others keep their places, and new ones come last. */
function changed(packageJson: string, change: (record: Package) => Package): string {
  const record = JSON.parse(packageJson) as Package
  const { dependencies = {}, pergola: { addOns = {}, ...origin } = {} } = change(record)
  const pergola = { ...origin, ...(isFilled(addOns) && { addOns }) }
  const after: object = { ...record, dependencies, pergola }
  const isKept = ([key, value]: [string, unknown]) =>
    !['dependencies', 'pergola'].includes(key) || isFilled(value)
  const [, indent = '  '] = /^([ \t]+)"/m.exec(packageJson) ?? []
  return `${JSON.stringify(Object.fromEntries(Object.entries(after).filter(isKept)), null, indent)}\n`
}

const isFilled = (value: unknown): boolean => Object.keys(value as object).length > 0
