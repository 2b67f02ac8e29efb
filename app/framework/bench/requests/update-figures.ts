import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { clone } from '../contestant/application.ts'
import { figuresTable, type Results } from './figures-table.ts'

// Writes the results of a benchmark that compares frameworks into docs/performance.md. `../contestant/add.ts` adds
// Pergola to it. Several files are merged, such as the batches of a larger table:
// `node app/framework/bench/requests/update-figures.ts results.json batches.json`.
const COLUMNS = {
  express: 'By hand',
  'express-sessions': 'with sessions as rows',
  pergola: 'Pergola',
  'fastify-drizzle': 'Fastify 5.12, Drizzle 0.45',
  adonis: 'AdonisJS 7.5',
}
const files = process.argv.slice(2).map((file) => JSON.parse(readFileSync(file, 'utf8')) as Partial<Results>)
const results = Object.assign({}, ...files) as Results
const page = join(clone, 'docs/performance.md')
const [BEGIN, END] = ['<!-- performance figures -->', '<!-- /performance figures -->']
const text = readFileSync(page, 'utf8')
const [before, , after] = text.split(new RegExp(`(?<=${BEGIN})|(?=${END})`))
if (before === undefined || after === undefined)
  throw new Error(`docs/performance.md has no ${BEGIN} … ${END}.`)
writeFileSync(page, `${before}\n\n${figuresTable(results, COLUMNS)}\n\n${after}`)
