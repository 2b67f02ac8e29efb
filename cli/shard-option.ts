/** The option of commands about one database, if several are configured. */
export const SHARD = ['--shard <name>', 'the shard, if [[database.shards]] are configured'] as const

/** The option of commands about all shards. */
export const ONLY_SHARD = ['--shard <name>', 'only this shard of [[database.shards]]'] as const
