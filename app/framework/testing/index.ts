/** Helpers for the tests of an application, imported as `pergola/testing`. They need vitest, and a Postgres. */

export { createDatabase, databaseUrl, dropDatabases, testServer, type TestServer } from './databases.ts'
export { expectParity, type ParityOptions } from './expect-parity.ts'
export { lockWait } from './lock-wait.ts'
export { ownedBy } from './owned-by.ts'
export { type Cast, expectAnswers, policyMatrix } from './policy-matrix.ts'
export { type Makers, probe } from './probe.ts'
export { type AppUnderTest, startTestApp, type TestApp, type TestUser } from './test-app.ts'
export { type Answer, type Sent, TestClient } from './test-client.ts'
export { prepareDatabases, testDatabase, type TestDatabase } from './test-database.ts'
