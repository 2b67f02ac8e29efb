/**
 * The accounts that development and test seed and show on the sign-in page. Production doesn't start with their
 * password.
 */
export const DEMO_ACCOUNTS = [
  { name: 'Admin', email: 'admin@example.test', roles: ['admin'] },
  { name: 'Alice', email: 'alice@example.test', roles: [] },
  { name: 'Bob', email: 'bob@example.test', roles: [] },
] as const

export const DEMO_PASSWORD = 'pergola-demo'
