const DEFAULTS = { PGHOST: '127.0.0.1', PGPORT: '55432', PGUSER: 'perf', PGDATABASE: 'perf10k' }

/** Returns the URL of a database of the harness. The application's own tables are in the schema `pergola`. */
export function databaseUrl(env: NodeJS.ProcessEnv): string {
  const { PGHOST, PGPORT, PGUSER, PGDATABASE } = { ...DEFAULTS, ...env }
  return `postgres://${PGUSER}@${PGHOST}:${PGPORT}/${PGDATABASE}?options=-c%20search_path%3Dpergola%2Cpublic`
}

/** Returns the environment of the contestant, from the variables `PORT` and `PG…` of the harness. */
export const contestantEnvironment = (env: NodeJS.ProcessEnv): Record<string, string> => ({
  NODE_ENV: 'production',
  HOST: '127.0.0.1',
  BASE_URL: `https://127.0.0.1:${env['PORT'] ?? 1}`,
  SESSION__SECRET: 'a secret of the benchmark that protects nothing',
  // Required, and never connected to.
  MAIL__URL: 'smtp://127.0.0.1:1',
  MAIL__FROM: 'no-reply@example.org',
  DATABASE_URL: databaseUrl(env),
  DATABASE__POOL_SIZE: '8',
  // All requests of the harness come from one user.
  SECURITY__WRITES_PER_MINUTE: '1000000',
  SECURITY__SEARCHES_PER_MINUTE: '1000000',
})
