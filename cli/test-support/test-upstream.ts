import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { release } from '../release/release.ts'
import { git, gitText } from '../project/git.ts'
import { linkPackages } from '../upgrade/version-folder.ts'

const original = join(import.meta.dirname, '../..')
const IDENTITY = ['-c', 'user.name=Test', '-c', 'user.email=test@localhost']

/** A folder for tests, with helpers for files and git. */
export class TestClone {
  readonly root: string

  constructor(root: string) {
    this.root = root
  }

  read(path: string): string {
    return readFileSync(join(this.root, path), 'utf8')
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true })
    writeFileSync(join(this.root, path), text)
  }

  /** Replaces text. Throws if the file doesn't contain it. */
  edit(path: string, from: string, to: string): void {
    const text = this.read(path)
    if (!text.includes(from)) throw new Error(`${path} has no ${from}`)
    this.write(
      path,
      text.replace(from, () => to),
    )
  }

  git(...args: string[]): string {
    return gitText([...IDENTITY, ...args], { cwd: this.root })
  }

  commit(): void {
    this.git('add', '--all')
    this.git('commit', '--quiet', '--message', 'Change')
  }

  /** Runs the command line of this folder. */
  cli(...words: string[]) {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [join(this.root, 'cli/bin.js'), ...words],
      {
        cwd: this.root,
        encoding: 'utf8',
        env: { PATH: process.env['PATH'] ?? '', NODE_ENV: 'test' },
      },
    )
    return { code: status, out: stdout, err: stderr }
  }
}

/** A clone of Pergola that uses the installed packages. */
class PergolaClone extends TestClone {
  /** Creates an application in a folder beside it. */
  created(name: string): TestClone {
    const { code, err } = this.cli('new', join('..', name))
    if (code !== 0) throw new Error(err)
    const root = join(dirname(this.root), name)
    linkPackages(root, [join(original, 'node_modules')])
    return new TestClone(root)
  }
}

/** A repository with the working tree of Pergola, released as 1.0.0. */
export class TestUpstream extends TestClone {
  static make(): TestUpstream {
    const temporary = mkdtempSync(join(tmpdir(), 'pergola-upstream-'))
    const upstream = new TestUpstream(join(temporary, 'upstream'))
    const paths = git(['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: original })
    for (const path of new Set(paths.toString().split('\0').filter(Boolean))) {
      // Git lists a deleted file until its deletion is committed.
      if (!existsSync(join(original, path))) continue
      cpSync(join(original, path), join(upstream.root, path), { recursive: true })
    }
    upstream.git('init', '--quiet', '--initial-branch=main')
    upstream.git('config', 'user.name', 'Test')
    upstream.git('config', 'user.email', 'test@localhost')
    upstream.commit()
    upstream.publish('1.0.0', '- The first.')
    return upstream
  }

  /** Adds these entries to the changelog, commits and releases. */
  publish(version: string, ...entries: string[]): void {
    this.edit('CHANGELOG.md', '## Unreleased\n', `## Unreleased\n\n${entries.join('\n')}\n`)
    this.commit()
    release(this.root, version, { from: this.root })
  }

  /** Creates an application: a clone of this version that uses the installed packages. */
  clone(name: string, version: string): PergolaClone {
    const root = join(dirname(this.root), name)
    git(['clone', '--quiet', '--', this.root, root])
    git(['reset', '--quiet', '--hard', `v${version}`], { cwd: root })
    linkPackages(root, [join(original, 'node_modules')])
    return new PergolaClone(root)
  }

  remove(): void {
    rmSync(dirname(this.root), { recursive: true, force: true })
  }
}
