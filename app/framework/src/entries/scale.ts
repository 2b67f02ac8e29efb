/** Replicas and shards: several databases for one application. Imported as `pergola/scale`. */

export { addressesOf, currentAddress, inDatabase } from '../application/request-database.ts'
export { type ReplicaState, replicaStates } from '../scale/replica-states.ts'
export { fromShard, shardNames, shardOfError } from '../scale/from-shard.ts'
export { type ShardOf, Shards } from '../scale/shards.ts'
export { readReplicas } from '../scale/read-replicas.ts'
