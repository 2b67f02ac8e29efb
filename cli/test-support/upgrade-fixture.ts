import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { git, gitText } from '../project/git.ts'
import { planUpgrade, sidesOf } from '../upgrade/plan.ts'
import { openStore, type Store } from '../upgrade/source.ts'
import { readBlob } from '../upgrade/tree.ts'
import { writeUpgrade } from '../upgrade/write.ts'

export type Files = Readonly<Record<string, string | Buffer>>

interface Versions {
  readonly base?: Files
  readonly ours?: Files
  readonly theirs?: Files
  readonly markers?: boolean
}

/** A repository with an application, and with the old and the new version of an upgrade. */
export class UpgradeFixture {
  readonly root = mkdtempSync(join(tmpdir(), 'pergola-application-'))
  /** The folder of the application in its repository, like `sub/`. */
  readonly prefix: string

  constructor(prefix = '') {
    this.prefix = prefix
    this.git('init', '--quiet', '--initial-branch=main')
    this.git('config', 'user.name', 'Test')
    this.git('config', 'user.email', 'test@localhost')
  }

  get app(): string {
    return join(this.root, this.prefix)
  }

  git(...args: string[]): string {
    return gitText(args, { cwd: this.root })
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true })
  }

  write(path: string, content: string | Buffer): void {
    mkdirSync(dirname(join(this.app, path)), { recursive: true })
    writeFileSync(join(this.app, path), content)
  }

  /** Commits these files. Returns the commit, which is not in the history of the application. */
  commit(files: Files): string {
    const bytes = (content: string | Buffer) => Buffer.from(content as string)
    const header = 'commit refs/tests/commit\ncommitter Test <test@localhost> 0 +0000\ndata 6\nCommit\n'
    const parts = Object.entries(files).flatMap(([path, content]) => [
      `M 100644 inline ${path}\ndata ${bytes(content).length}\n`,
      bytes(content),
      '\n',
    ])
    const input = Buffer.concat([header, 'deleteall\n', ...parts].map(bytes))
    git(['fast-import', '--quiet', '--force'], { cwd: this.root, input })
    return this.git('rev-parse', 'refs/tests/commit')
  }

  /** Makes these files the last commit and the work tree of the application. */
  checkOut(files: Files): void {
    const entries = Object.entries(files).map(([path, content]) => [this.prefix + path, content])
    this.git('reset', '--quiet', '--hard', this.commit(Object.fromEntries(entries) as Files))
    this.git('clean', '-fdxq')
  }

  /** Plans an upgrade, and passes the plan to `work` while the store is open. */
  async withPlan<Result>(
    { base = {}, ours = {}, theirs = {}, markers = false }: Versions,
    work: (plan: Awaited<ReturnType<typeof planUpgrade>>, store: Store) => Result,
  ): Promise<Result> {
    const [old, fresh] = [base, theirs].map((files) => this.commit({ 'package.json': '{}\n', ...files }))
    this.checkOut({ 'package.json': '{}\n', ...ours })
    return this.planned({ base: old ?? '', theirs: fresh ?? '', markers }, work)
  }

  private async planned<Result>(
    commits: { base: string; theirs: string; markers: boolean },
    work: (plan: Awaited<ReturnType<typeof planUpgrade>>, store: Store) => Result,
  ): Promise<Result> {
    const store = openStore(this.app)
    try {
      const from = 'https://example.com/x.git'
      const input = { ...commits, root: this.app, store, isSnapshot: false, from }
      return work(await planUpgrade({ ...input, sides: sidesOf(input), generated: null }), store)
    } finally {
      await store.close()
    }
  }

  /** Returns the outcomes of an upgrade without package.json, and the changed texts by path and by `verb path`. */
  plan(versions: Versions) {
    return this.withPlan(versions, ({ sides, outcomes, after }, store) => {
      const shown = outcomes.filter(({ path }) => path !== 'package.json')
      const paths = [...after].filter(([path, { id }]) => sides.ours.get(path)?.id !== id)
      const changed = new Map(
        paths.map(([path, entry]) => [path, readBlob(store.folder, entry).toString()] as const),
      )
      return {
        outcomes: shown,
        changed,
        paths: [...after.keys()],
        texts: Object.fromEntries(
          shown.map(({ verb, path }) => [`${verb} ${path}`, changed.get(path) ?? null]),
        ),
      }
    })
  }

  /** Upgrades the application. */
  upgrade(versions: Versions): Promise<void> {
    return this.withPlan(versions, ({ sides, after, besides }, store) =>
      writeUpgrade(this.app, store.folder, { head: sides.head, after, besides }),
    )
  }
}
