/** Helpers for the tests of an application, imported as `pergola/testing`. They need vitest and a Postgres server. */

// Databases
export { prepareDatabases, testDatabase, type TestDatabase } from './test-database.ts'
export { emptyDatabase } from './databases.ts'
export { lockWait } from './lock-wait.ts'
export { clearRateLimits } from './clear-rate-limits.ts'
export { lockTable } from './lock-table.ts'

// An application that listens, and its clients
export { startTestApp, type TestApp, type TestUser } from './test-app.ts'
export { type Answer, TestClient } from './test-client.ts'
export { comparable } from './comparable.ts'

// Tests of views
export { unsafeMarkup } from './unsafe-markup.ts'

// Tests of authorization
export { policyMatrix } from './policy-matrix.ts'
export { expectParity } from './expect-parity.ts'
export { probe } from './probe.ts'
export { probeTenants } from './probe-tenants.ts'
export { type Makers } from './route-records.ts'
export { ownedBy } from './owned-by.ts'
