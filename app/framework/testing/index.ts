/** Helpers for the tests of an application, imported as `pergola/testing`. They need vitest and a Postgres server. */

// Databases
export { prepareDatabases, testDatabase, type TestDatabase } from './test-database.ts'
export { connectForTests } from './connect-for-tests.ts'
export { createDatabase, databaseUrl, dropDatabases, isPooled, testServer } from './databases.ts'
export { lockWait } from './lock-wait.ts'
export { clearRateLimits } from './clear-rate-limits.ts'
export { lockTable } from './lock-table.ts'

// An application that listens, and its clients
export { connectTestApp, startTestApp, type TestApp, type TestUser } from './test-app.ts'
export { type SentMail } from '../src/mail/memory-outbox.ts'
export { type Answer, TestClient } from './test-client.ts'
export { comparable } from './comparable.ts'
export { freePort } from './free-port.ts'
export { spawnServer } from './spawn-server.ts'

// Tests of views
export { unsafeMarkup } from './unsafe-markup.ts'

// Tests of authorization
export { policyMatrix } from './policy-matrix.ts'
export { expectParity } from './expect-parity.ts'
export { probe } from './probe.ts'
export { probeTenants } from './probe-tenants.ts'
export { type Makers } from './route-records.ts'
export { ownedBy } from './owned-by.ts'

// Faults: a server under load, its Postgres, network and disk
export { acknowledgements, withstand, type UnderLoad } from './withstand.ts'
export { restartableServer, type RestartableServer } from './restartable-server.ts'
export { ownPostgres, type OwnPostgres, type Standby } from './own-postgres.ts'
export { tcpProxy, type TcpProxy } from './tcp-proxy.ts'
export { balancer } from './balancer.ts'
export { rawConnection } from './raw-connection.ts'
export { smallDisk } from './small-disk.ts'
export { startPulse } from './pulse.ts'
export { figuresReporter, recordFigures } from './figures.ts'
export { leaksIn } from './leaks-in.ts'

// Abuse: requests that no user sends
export { attackRoutes, attackTargets } from './attack-routes.ts'
export { MARKUP } from './hostile-values.ts'
export { routeAttacks } from './route-attacks.ts'
export { objections } from './objections.ts'
