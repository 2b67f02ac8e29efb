/** What each script of package.json does. A script that is missing here is documented with its command line. */
export const SCRIPTS: Readonly<Record<string, string>> = {
  dev: 'installs packages, starts Postgres, migrates, seeds and serves on port 3000 or the next free port, and restarts after each change',
  test: 'tests the application: format, lint, types, unit, HTTP and browser tests. `npm test -- app/users` tests one folder',
  'test:framework': 'tests the framework, in `app/framework`',
  'test:cli': 'tests the command line and the documents',
  'test:all': 'runs these three suites',
  'test:scaffold': 'scaffolds many resources into clones of their own, and runs their tests; takes an hour',
  'test:docs': 'executes the tutorial and the recipes in clones of their own',
  'test:faults': 'tests the application in production while Postgres, networks, clients or processes fail',
  'test:abuse': 'sends hostile requests to every route of the application in production mode',
  'test:cluster':
    'tests three processes behind HAProxy and PgBouncer, with replicas, a failover and shards; needs Debian packages of haproxy, pgbouncer and postgresql-15',
  'test:stress': 'runs a suite five times beside busy processes, and lists each test that failed',
  'test:engines': 'runs the suites without what other engines than Postgres lack, such as `xmin`',
  start: 'serves, with the settings of `NODE_ENV`',
  bench: 'measures on this machine. `-- --help` lists the benchmarks',
  release: 'writes the version into package.json and the changelogs, commits and tags',
  docs: 'writes `docs/reference` from the code',
  screenshots: 'takes the pictures of the documents, of the last commit. `-- --to <folder>` writes elsewhere',
  format: 'formats all files',
  lint: 'reports problems of the linter',
  types: 'checks types',
}
