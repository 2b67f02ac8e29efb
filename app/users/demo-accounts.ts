/** Seeded in development and test, and shown on the sign-in page there. Production doesn't start with their password. */
export const DEMO_ACCOUNTS = [
  { name: 'Admin', email: 'admin@example.test', roles: ['admin'] },
  { name: 'Alice', email: 'alice@example.test', roles: [] },
  { name: 'Bob', email: 'bob@example.test', roles: [] },
] as const

export const DEMO_PASSWORD = 'pergola-demo'

export const isDemoAddress = (email: string): boolean =>
  DEMO_ACCOUNTS.some((account) => account.email === email)
