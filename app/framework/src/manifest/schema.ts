import { z } from 'zod'
import { parsedJson } from '../resource/parsed-json.ts'

// Entries with a default are missing in manifests of older versions. A comparison reports what has been added.

/** `provable` values are read from the running objects, `declared` ones from source text. */
const provable = z.literal('provable')
const declared = z.literal('declared')
const text = z.string()
const names = z.array(text)
const texts = z.record(text, text)
/** The roles in the source of each rule. */
const roles = z.strictObject({ provenance: declared, by_rule: z.record(text, names) })

const route = z.strictObject({
  method: text,
  path: text,
  name: text,
  classification: z.enum(['framework', 'gated', 'public', 'unclassified']),
  /** One of these roles is required. Without roles, a gated route requires only a session. */
  roles: names,
  /** The decisions before the handler: `update Post`. */
  policy: text.nullable(),
  guards: names,
})

/** A route in the manifest. */
export type RouteEntry = z.output<typeof route>

// Not strict: a manifest of an older version has digests of rules.
const resource = z.object({
  resource: text,
  api: text.nullable(),
  /** The columns that clients may write, that rows contain, that are never sent, and that clients can't change. */
  input: names,
  shown: names.default([]),
  hidden: names,
  immutable: names,
  owner: text.nullable(),
  tenant: text.nullable().default(null),
  references: texts,
  /** The actions of the policy, besides `update` and `delete`, that also allow an update or a delete. */
  updated_by: names,
  deleted_by: names,
  has_policy: z.boolean(),
  actions: names,
  before: z.boolean(),
  can_become: z.boolean(),
  forbidden_response: text.nullable(),
  roles,
  /** The rules of single fields, as `salary.see`. */
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
    trust_proxy: text,
    rule_deadline_ms: z.number(),
    refuses_other_hosts: z.boolean(),
    /** Whether the cross-origin check knows the own origin, instead of reading it from the `Host` header. */
    has_fixed_origin: z.boolean(),
    default_limits: z
      .strictObject({ writes: text.nullable(), searches: text.nullable() })
      .default({ writes: null, searches: null }),
  }),
  identity: z.object({
    provenance: declared,
    find_session: text,
    tenant_of: z.object({ name: text }).nullable().default(null),
  }),
  /** What the application says about itself: no running object shows it. */
  passed: z.strictObject({
    provenance: declared,
    allows_unauthorized_apis: z.boolean(),
    values: z.record(text, z.union([text, z.number(), z.boolean()])).default({}),
  }),
})
export type Settings = z.output<typeof settings>

const dimensions = z.strictObject({
  routes: z.strictObject({ provenance: provable, entries: z.array(route), middleware: names }),
  csrf: z.strictObject({ provenance: provable, check: text.nullable(), exempt: names }),
  security_headers: z.strictObject({ provenance: provable, headers: texts, missing_on: names }),
  authorization_policies: z.strictObject({
    provenance: provable,
    forbidden_response: text,
    entries: z.array(z.strictObject({ action: text, resource: text, route: text })),
    resources: z.array(resource),
    /** The calls of `authorizeRecord`. */
    in_code: z.array(z.strictObject({ file: text, decision: text })).default([]),
    access_tables: names.default([]),
    /** The APIs without a policy, whose records all signed-in users can read and write. */
    any_session: names,
  }),
  settings: settings.nullable().default(null),
  modules: z.strictObject({ provenance: declared, by_file: texts }).nullable().default(null),
})
export type Dimensions = z.output<typeof dimensions>

const systemUse = z.strictObject({ file: text, repository: text, why: text.nullable() })
const directUse = z.strictObject({ file: text, kind: text, what: text })

const manifest = z.strictObject({
  schema_version: z.literal(1),
  dimensions,
  excluded: z.strictObject({
    as_system: z.strictObject({ provenance: declared, uses: z.array(systemUse) }),
    direct_use: z
      .strictObject({ provenance: declared, uses: z.array(directUse) })
      .default({ provenance: 'declared', uses: [] }),
    development_only: z.array(z.strictObject({ route: text, reason: text })),
    not_visible: names,
  }),
})

/** The security manifest of an application: the content of `security.manifest.json`. */
export type Manifest = z.output<typeof manifest>

/**
 * Returns the manifest that a text contains. Throws if the text is not JSON, not a manifest, or has another
 * `schema_version`.
 */
export function parseManifest(text: string): Manifest {
  const read = parsedJson(text)
  const version = (read as { schema_version?: unknown } | null | undefined)?.schema_version
  if (read === undefined) throw new Error('This is not a security manifest: it is not JSON.')
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

/** Returns a copy that is sorted by `key`, which defaults to the values. By code units, whatever the locale. */
export function sortedBy<Item extends object>(
  items: readonly Item[],
  key = (item: Item) => Object.values(item).map(String).join(' '),
): Item[] {
  return items.toSorted((one, other) => Number(key(one) > key(other)) - Number(key(one) < key(other)))
}
