import { databasesOf } from 'pergola/database'
import type { Config } from '#app/config.ts'
import { EXIT, Exit } from './exit.ts'
import { errorText, exitCodeOf } from './failure.ts'
import { printResult } from './print-result.ts'

export interface ShardOption {
  shard?: string
}

/** Returns the configuration of the database of a command: with shards, that of `--shard`. Throws without it. */
export function oneDatabase(config: Config, { shard }: ShardOption): Config {
  const names = config.database.shards.map(({ name }) => name)
  if (names.length === 0 && shard === undefined) return config
  if (names.length === 0) throw new Exit(EXIT.usage, 'No shards are configured. Leave out --shard.')
  const list = `Shards: ${names.join(', ')}.`
  if (shard === undefined) throw new Exit(EXIT.usage, `This command is about one shard. Add --shard. ${list}`)
  const found = databasesOf(config).find((one) => one.shard === shard)
  if (found === undefined) throw new Exit(EXIT.usage, `No shard is named ${shard}. ${list}`)
  return found
}

/** Returns the configuration of each database, or only that of `--shard`. */
export const eachDatabase = (config: Config, options: ShardOption): Config[] =>
  options.shard === undefined ? databasesOf(config) : [oneDatabase(config, options)]

interface Printed<Result> {
  readonly work: (config: Config) => Promise<Result>
  readonly text: (result: Result) => string
}

/**
 * Calls `work` for the database, or for each shard, one after the other, and prints the results: with shards, by their
 * names. A shard that fails doesn't stop the others, and determines the exit code.
 */
export async function printEach<Result>(
  config: Config,
  { json, ...options }: ShardOption & { json?: boolean },
  { work, text }: Printed<Result>,
): Promise<void> {
  if (config.database.shards.length === 0) {
    const result = await work(oneDatabase(config, options))
    return printResult(json, result, text(result))
  }
  const results: Record<string, unknown> = {}
  for (const one of eachDatabase(config, options)) {
    const { shard = '' } = one
    try {
      const result = await work(one)
      results[shard] = result
      if (json !== true) console.log(underName(shard, text(result)))
    } catch (error) {
      const message = errorText(error) ?? ''
      results[shard] = { error: message }
      console.error(underName(shard, message))
      process.exitCode = exitCodeOf(error)
    }
  }
  if (json === true) printResult(json, results, '')
}

const underName = (name: string, text: string) => `${name}:${text.includes('\n') ? '\n' : ' '}${text}`
