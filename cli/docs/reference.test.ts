import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { settingsSchema } from '#app/config.ts'
import { ERROR_CODES } from 'pergola/app'
import { EXIT } from '../exit.ts'
import { callOf, commandsBelow } from '../help.ts'
import { makeProgram } from '../program.ts'
import { root } from '../test/tools.ts'
import { headingsOf } from './markdown.ts'
import { FOLDER, referencePages } from './reference.ts'
import { SCRIPTS } from './scripts.ts'

const pages = await referencePages()
const pageOf = (name: string) => pages.get(name) ?? ''
const json = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8')) as unknown

describe('docs/reference', () => {
  // Run `npm run pergola -- docs` if this fails.
  it.each([...pages])('contains %s as the code has it', (name, text) => {
    const path = join(root, FOLDER, name)
    expect(existsSync(path) ? readFileSync(path, 'utf8') : '').toBe(text)
  })

  it('contains no other page', () => {
    expect(globSync('**/*.md', { cwd: join(root, FOLDER) }).toSorted()).toEqual([...pages.keys()].toSorted())
  })
})

describe('the reference of the exports', () => {
  const publicApi = Object.entries(json('app/framework/test/public-api.json') as Record<string, string[]>)
  const exported = publicApi.flatMap(([entry, names]) => names.map((name) => [entry, name] as const))

  it.each(exported)('of %s has %s with its docstring and its declaration', (entry, name) => {
    const page = pageOf(`pergola${entry.slice(1).replaceAll('/', '-')}.md`)
    const [, section = ''] = page.split(`\n### ${name}\n`)
    expect(section).toMatch(/^\n`{3,}ts\n\/\*\*[\s\S]*?\n`{3,}\n/)
    expect(section.split('\n### ')[0]).toContain(name)
  })
})

describe('the reference of the configuration', () => {
  const keys = Object.entries(settingsSchema.shape).flatMap(([section, { shape }]) =>
    Object.keys(shape).map((key) => [section, key] as const),
  )

  it.each(keys)('has [%s] %s with its valid values and its meaning', (section, key) => {
    const [, part = ''] = pageOf('configuration.md').split(`\n## \`[${section}]\`\n`)
    const [text = ''] = part.split('\n## ')
    const [, expected = ''] = new RegExp(`^\\| \`${key}\`[^|]*\\|(.*)\\|$`, 'm').exec(text) ?? []
    expect(expected.trim()).not.toBe('')
    // `port = 3000   # the port`, and `# [[database.shards]]`
    expect(text).toMatch(new RegExp(`^(?:# )?(?:${key} = .*#.*|\\[\\[${section}\\.${key}\\]\\])$`, 'm'))
  })
})

describe('the reference of the commands', () => {
  const calls = commandsBelow(makeProgram())
    .slice(1)
    .map(callOf)
    .filter((call) => !/ help$| complete$/.test(call) || call === 'cli help')

  it.each(calls)('has npx %s with its options', (call) => {
    const [, section = ''] = pageOf('commands.md').split(`\n## npx ${call}\n`)
    expect(section).toContain(`Usage: ${call}`)
    expect(headingsOf(pageOf('commands.md'))).toContain(`npx ${call}`)
  })

  it.each(Object.values(EXIT))('has the exit code %i', (code) => {
    expect(pageOf('commands.md')).toContain(`| \`${code}\``)
  })

  it('describes each script of package.json', () => {
    const { scripts } = json('package.json') as { scripts: Record<string, string> }
    expect(Object.keys(SCRIPTS).filter((name) => !Object.hasOwn(scripts, name))).toEqual([])
    const own = Object.keys(scripts).filter((name) => !name.startsWith('pre'))
    const calls = own.map((name) => (['start', 'test'].includes(name) ? `npm ${name}` : `npm run ${name}`))
    const pages = pageOf('commands.md') + readFileSync(join(root, 'docs/contributing.md'), 'utf8')
    expect(calls.filter((call) => !pages.includes(call))).toEqual([])
  })
})

describe('the reference of the error codes', () => {
  it.each(Object.entries(ERROR_CODES))('has %s', (code, { status }) => {
    expect(pageOf('errors.md').replaceAll(/ +/g, ' ')).toContain(`| \`${code}\` | ${status} |`)
  })
})
