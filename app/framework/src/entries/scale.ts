/** Replicas and shards: several databases for one application. Imported as `pergola/scale`. */

// The database and the address of a request
export { addressesOf, currentAddress, inDatabase, shardFor } from '../application/request-database.ts'
export { ownWrites } from '../scale/own-writes.ts'

// Replicas and shards
export { type ReplicaState, replicaStates } from '../scale/replica-states.ts'
export { fromShard, shardNames, shardOfError } from '../scale/from-shard.ts'
export { type ShardOf, Shards } from '../scale/shards.ts'

// The option replicas of connect()
export { readReplicas } from '../scale/read-replicas.ts'
