import { describeRefusedUrl, urlSetting } from 'pergola/database'
import { shardOfError } from 'pergola/scale'
import type { Config } from '#app/config.ts'

/** Returns an error that contains the fix for a failed or refused connection. Returns other errors unchanged. */
export function describeConnectionError(error: unknown, config: Config): unknown {
  const shard = shardOfError(error) ?? config.shard
  const failed = shard === undefined ? config : { ...config, shard }
  if (!failedToConnect(error)) return describeRefusedUrl(error, failed)
  return new Error(`Could not connect to the database. Start it, or correct ${urlSetting(failed)}`, {
    cause: error,
  })
}

/** A host with several addresses fails with an AggregateError, which contains one error per address. */
const failedToConnect = (error: unknown): boolean =>
  error instanceof AggregateError
    ? error.errors.some(failedToConnect)
    : ['connect', 'getaddrinfo'].includes((error as NodeJS.ErrnoException).syscall ?? '')
