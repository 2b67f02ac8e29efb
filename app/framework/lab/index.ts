/**
 * Parts of suites about processes, imported as `pergola/lab`: databases, servers, networks and disks that fail, loads and
 * hostile requests. They need vitest and a Postgres server.
 */

// Databases
export { createDatabase, dropDatabases, testServer } from '../testing/databases.ts'
export { databaseUrl } from '../src/migrations/ensure-database.ts'
export { isPooled } from './servers/is-pooled.ts'
export { connectForTests } from '../testing/connect-for-tests.ts'

// Servers, and what lies between them
export { freePort } from './servers/free-port.ts'
export { spawnServer } from './servers/spawn-server.ts'
export { restartableServer, type RestartableServer } from './servers/restartable-server.ts'
export { ownPostgres, type OwnPostgres, type Standby } from './servers/own-postgres.ts'
export { tcpProxy, type TcpProxy } from './servers/tcp-proxy.ts'
export { balancer } from './servers/balancer.ts'
export { rawConnection } from './servers/raw-connection.ts'
export { smallDisk } from './servers/small-disk.ts'

// A server under load
export { acknowledgements, withstand, type UnderLoad } from './load/withstand.ts'
export { startPulse } from './load/pulse.ts'
export { figuresReporter, recordFigures } from './load/figures.ts'
export { leaksIn } from './load/leaks-in.ts'

// Requests that no user sends
export { connectTestApp } from '../testing/test-app.ts'
export { attackRoutes, attackTargets } from './attacks/attack-routes.ts'
export { MARKUP } from './attacks/hostile-values.ts'
export { routeAttacks } from './attacks/route-attacks.ts'
export { objections } from './attacks/objections.ts'
