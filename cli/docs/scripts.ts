/** What each script of package.json does. docs/contributing.md has those for the development of Pergola. */
export const SCRIPTS: Readonly<Record<string, string>> = {
  dev: 'installs packages, starts Postgres, migrates, seeds and serves on port 3000 or the next free port, and restarts after each change',
  test: 'tests the application: format, lint, types, unit, HTTP and browser tests. `npm test -- app/users` tests one folder',
  start: 'serves, with the settings of `NODE_ENV`',
  format: 'formats all files',
  lint: 'reports problems of the linter',
  types: 'checks types',
}
