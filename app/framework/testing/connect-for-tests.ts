import type { Kysely } from 'kysely'
import { connect } from '../src/database/connect.ts'
import type { Tables } from '../src/resource/tables.ts'

type Options = Partial<Parameters<typeof connect>[0]>

/** Opens a pool of connections with the limits of tests, unless `options` contains others. Close it with `destroy()`. */
export const connectForTests = (url: string, options: Options = {}): Kysely<Tables> =>
  connect({
    url,
    poolSize: 5,
    maxWaiting: 200,
    connectTimeout: 2_000,
    statementTimeout: 5_000,
    lockTimeout: 2_000,
    onConnectionError: () => {},
    ...options,
  })
