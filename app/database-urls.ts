import { z } from 'zod'

export const postgresUrl = z.url({
  protocol: /^postgres(ql)?$/,
  error: 'postgres://user:password@host:port/database',
})

export const postgresUrls = z.preprocess(
  (urls) => (typeof urls === 'string' ? urls.split(',').map((url) => url.trim()) : urls),
  z.array(postgresUrl, 'a list of postgres://user:password@host:port/database'),
)

const NAME = 'a name of up to 40 letters, digits and hyphens that begins with a letter, in lower case'
const SHARDS = 'a list like [{"name": "eu", "url": "postgres://user:password@host:port/database"}]'

/** The settings of a shard. */
export const shard = z.strictObject({
  name: z.string(NAME).regex(/^[a-z][a-z0-9-]{0,39}$/, NAME),
  url: postgresUrl.optional(),
  migration_url: postgresUrl.optional(),
  replica_urls: postgresUrls.default([]),
})

/** `[[database.shards]]` of the file, or JSON of the environment. */
export const shards = z
  .preprocess((list) => (typeof list === 'string' ? parsedJson(list) : list), z.array(shard, SHARDS))
  .refine(
    (list) => new Set(list.map(({ name }) => name)).size === list.length,
    'a different name for each shard',
  )

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

interface Databases extends Omit<z.output<typeof shard>, 'name'> {
  readonly shards: readonly object[]
}

/** Returns a problem if shards and another database are set, since no request would read it. */
export function twoPlaces({ shards, url, migration_url, replica_urls }: Databases): string | null {
  const isSet = url !== undefined || migration_url !== undefined || replica_urls.length > 0
  if (shards.length === 0 || !isSet) return null
  return 'database.shards is set, and so is a url, migration_url or replica_urls of [database] itself. Expected: only those of each shard.'
}
