import { z } from 'zod'

/** `provable` values are read from the running objects, `declared` ones from source text. */
const provable = z.literal('provable')
const declared = z.literal('declared')
const names = z.array(z.string())
/** The roles in the source of each rule. */
const roles = z.strictObject({ provenance: declared, by_rule: z.record(z.string(), names) })

const route = z.strictObject({
  method: z.string(),
  path: z.string(),
  name: z.string(),
  classification: z.enum(['framework', 'gated', 'public', 'unclassified']),
  /** One of these roles is required. Without roles, a gated route requires only a session. */
  roles: names,
  /** The decisions before the handler: `update Post`. */
  policy: z.string().nullable(),
  /** All guards, in order. */
  guards: names,
})

/** A route in the manifest. */
export type RouteEntry = z.output<typeof route>

// Not strict: a manifest of an older version has digests of rules.
const resource = z.object({
  resource: z.string(),
  api: z.string().nullable(),
  /** The columns that clients may write. */
  input: names,
  /** The columns that rows contain. A manifest of an older version has none, so that a comparison reports all of them. */
  shown: names.default([]),
  /** The columns that are never sent to clients. */
  hidden: names,
  /** The columns that clients can't change. */
  immutable: names,
  owner: z.string().nullable(),
  /** The column with the tenant. Null without one, and in a manifest of an older version. */
  tenant: z.string().nullable().default(null),
  /** The resources that columns refer to, by column. */
  references: z.record(z.string(), z.string()),
  /** The actions of the policy, besides `update`, that also allow an update. */
  updated_by: names,
  /** The actions of the policy, besides `delete`, that also allow a delete. */
  deleted_by: names,
  has_policy: z.boolean(),
  actions: names,
  before: z.boolean(),
  can_become: z.boolean(),
  forbidden_response: z.string().nullable(),
  roles,
  /** The rules of single fields, as `salary.see`. Null without such rules, and in a manifest of an older version. */
  fields: z
    .object({ rules: names.default([]), roles })
    .nullable()
    .default(null),
  scope: z.object({ variants: names, roles }).nullable(),
})
export type ResourceEntry = z.output<typeof resource>

const settings = z.strictObject({
  running: z.strictObject({
    provenance: provable,
    trust_proxy: z.string(),
    rule_deadline_ms: z.number(),
    /** Whether a request for an unknown host is refused. */
    refuses_other_hosts: z.boolean(),
    /** Whether the cross-origin check knows the own origin, instead of reading it from the `Host` header. */
    has_fixed_origin: z.boolean(),
    /** The limits of routes without a `limit` of their own, as `120 in 60s`. A manifest of an older version has none. */
    default_limits: z
      .strictObject({ writes: z.string().nullable(), searches: z.string().nullable() })
      .default({ writes: null, searches: null }),
  }),
  /** The function that finds the session of a request. */
  identity: z.object({
    provenance: declared,
    find_session: z.string(),
    /** The function that returns the tenant of a request. Null without one, and in a manifest of an older version. */
    tenant_of: z.object({ name: z.string() }).nullable().default(null),
  }),
  /** What the application says about itself: no running object shows it. */
  passed: z.strictObject({
    provenance: declared,
    allows_unauthorized_apis: z.boolean(),
    /** Further settings by their names. A manifest of an older version has none. */
    values: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).default({}),
  }),
})
export type Settings = z.output<typeof settings>

const dimensions = z.strictObject({
  routes: z.strictObject({ provenance: provable, entries: z.array(route), middleware: names }),
  csrf: z.strictObject({ provenance: provable, check: z.string().nullable(), exempt: names }),
  security_headers: z.strictObject({
    provenance: provable,
    headers: z.record(z.string(), z.string()),
    missing_on: names,
  }),
  authorization_policies: z.strictObject({
    provenance: provable,
    forbidden_response: z.string(),
    entries: z.array(z.strictObject({ action: z.string(), resource: z.string(), route: z.string() })),
    resources: z.array(resource),
    /** The calls of `authorizeRecord`. A manifest of an older version has none. */
    in_code: z.array(z.strictObject({ file: z.string(), decision: z.string() })).default([]),
    /** The tables of `accessTable()`. A manifest of an older version has none. */
    access_tables: names.default([]),
    /** The APIs without a policy, whose records all signed-in users can read and write. */
    any_session: names,
  }),
  /** Null in a manifest of an older version. */
  settings: settings.nullable().default(null),
  /** Digests of the modules that decide about access. Null in a manifest of an older version. */
  modules: z
    .strictObject({ provenance: declared, by_file: z.record(z.string(), z.string()) })
    .nullable()
    .default(null),
})
export type Dimensions = z.output<typeof dimensions>

const directUse = z.strictObject({
  file: z.string(),
  kind: z.string(),
  what: z.string(),
})

const excluded = z.strictObject({
  as_system: z.strictObject({
    provenance: declared,
    uses: z.array(z.strictObject({ file: z.string(), repository: z.string(), why: z.string().nullable() })),
  }),
  /** Reads past the repositories. A manifest of an older version has none, so that a comparison reports all of them. */
  direct_use: z
    .strictObject({ provenance: declared, uses: z.array(directUse) })
    .default({ provenance: 'declared', uses: [] }),
  development_only: z.array(z.strictObject({ route: z.string(), reason: z.string() })),
  not_visible: names,
})

const manifest = z.strictObject({ schema_version: z.literal(1), dimensions, excluded })

/** The security manifest of an application: the content of `security.manifest.json`. */
export type Manifest = z.output<typeof manifest>

/**
 * Returns the manifest that a text contains. Throws if the text is not JSON, not a manifest, or has another
 * `schema_version`.
 */
export function parseManifest(text: string): Manifest {
  const read = parseJson(text)
  const version = (read as { schema_version?: unknown } | null)?.schema_version
  if (version === undefined) throw new Error('This is not a security manifest: it has no schema_version.')
  if (version !== 1) {
    throw new Error(
      `The manifest has schema_version ${JSON.stringify(version)}, but this program only reads version 1.`,
    )
  }
  const result = manifest.safeParse(read)
  if (result.success) return result.data
  const [issue] = result.error.issues
  throw new Error(`The manifest is invalid at ${issue?.path.join('.') || 'its root'}: ${issue?.message}.`)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error('This is not a security manifest: it is not JSON.')
  }
}

/** Returns the manifest as the text of its file. Keys are sorted, so that equal manifests have equal text. */
export const manifestText = (manifest: Manifest): string => `${JSON.stringify(sorted(manifest), null, 2)}\n`

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, inner]) => [key, sorted(inner)] as const)
  return Object.fromEntries(entries.toSorted(([one], [other]) => compareText(one, other)))
}

/** Compares by code units, so that the order doesn't depend on the locale. */
const compareText = (one: string, other: string): number => Number(one > other) - Number(one < other)

/** Returns a copy that is sorted by `key`, which defaults to the text, or to the values of an object. */
export const sortedBy = <Item extends string | object>(
  items: Iterable<Item>,
  key: (item: Item) => string = keyOf,
): Item[] => [...items].toSorted((one, other) => compareText(key(one), key(other)))

const keyOf = (item: string | object): string =>
  typeof item === 'string' ? item : Object.values(item).map(String).join(' ')
