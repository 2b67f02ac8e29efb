import type { AddOn } from './add-on.ts'

interface Package {
  readonly name?: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly pergola?: { readonly addOns?: readonly string[] }
}

/** Returns the name of an application, without its scope: `helpdesk` for `@acme/helpdesk`. */
export const nameIn = (packageJson: string): string =>
  (JSON.parse(packageJson) as Package).name?.split('/').at(-1) ?? 'application'

/** Returns the names of the add-ons that an application has. */
export const addedTo = (packageJson: string): readonly string[] =>
  (JSON.parse(packageJson) as Package).pergola?.addOns ?? []

/** Returns package.json with the add-on and its packages. */
export function withAddOn(packageJson: string, { name, packages }: AddOn): string {
  const versions = Object.entries(packages).map(([name, { version }]) => [name, version] as const)
  return changed(packageJson, ({ pergola, ...record }) => ({
    ...record,
    ...(versions.length > 0 && {
      dependencies: sorted([...Object.entries(record.dependencies ?? {}), ...versions]),
    }),
    pergola: { ...pergola, addOns: [...new Set([...(pergola?.addOns ?? []), name])].toSorted() },
  }))
}

/** Returns package.json without the add-on, and without those of its packages that no other add-on has. */
export function withoutAddOn(
  packageJson: string,
  { name, packages }: AddOn,
  others: readonly AddOn[],
): string {
  const kept = new Set(others.flatMap((other) => Object.keys(other.packages)))
  const isKept = ([name]: readonly [string, string]) => !Object.hasOwn(packages, name) || kept.has(name)
  return changed(packageJson, ({ dependencies, pergola: { addOns = [], ...origin } = {}, ...record }) => {
    const rest = addOns.filter((added) => added !== name)
    const own = { ...origin, ...(rest.length > 0 && { addOns: rest }) }
    return {
      ...record,
      ...(dependencies && { dependencies: Object.fromEntries(Object.entries(dependencies).filter(isKept)) }),
      ...(Object.keys(own).length > 0 && { pergola: own }),
    }
  })
}

const sorted = (entries: readonly (readonly [string, string])[]): Record<string, string> =>
  Object.fromEntries(entries.toSorted(([one], [other]) => (one < other ? -1 : 1)))

/** Changes these two keys. All others keep their places, and new ones come last. */
function changed(packageJson: string, change: (record: Package) => Package): string {
  const record = JSON.parse(packageJson) as Package
  const after = change(record)
  const inOrder = Object.keys({ ...record, ...after }).filter((key) => Object.hasOwn(after, key))
  const [, indent = '  '] = /^([ \t]+)"/m.exec(packageJson) ?? []
  const entries = inOrder.map((key) => [key, after[key as keyof Package]])
  return `${JSON.stringify(Object.fromEntries(entries), null, indent)}\n`
}
