import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { clone } from '../contestant/application.ts'
import { figuresTable, type Peer } from './figures-table.ts'
import type { Report } from './report.ts'

// Writes the figures of requests.json and peers.json into docs/performance.md:
// `node app/framework/bench/requests/update-figures.ts`.
const json = (path: string): unknown => JSON.parse(readFileSync(join(import.meta.dirname, path), 'utf8'))
const { peers } = json('peers.json') as { peers: Peer[] }
const report = json('../requests.json') as Report
const page = join(clone, 'docs/performance.md')
const [BEGIN, END] = ['<!-- performance figures -->', '<!-- /performance figures -->']
const text = readFileSync(page, 'utf8')
const [before, , after] = text.split(new RegExp(`(?<=${BEGIN})|(?=${END})`))
if (before === undefined || after === undefined)
  throw new Error(`docs/performance.md has no ${BEGIN} … ${END}.`)
writeFileSync(page, `${before}\n\n${figuresTable(report, peers)}\n\n${after}`)
