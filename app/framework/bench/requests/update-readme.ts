import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { clone } from '../contestant/application.ts'
import { type Peer, readmeFigures } from './readme-figures.ts'
import type { Report } from './report.ts'

// Writes the figures of requests.json and peers.json into the section “Performance” of README.md:
// `node app/framework/bench/requests/update-readme.ts`.
const json = (path: string): unknown => JSON.parse(readFileSync(join(import.meta.dirname, path), 'utf8'))
const { peers } = json('peers.json') as { peers: Peer[] }
const report = json('../requests.json') as Report
const readme = join(clone, 'README.md')
const [BEGIN, END] = ['<!-- performance figures -->', '<!-- /performance figures -->']
const text = readFileSync(readme, 'utf8')
const [before, , after] = text.split(new RegExp(`(?<=${BEGIN})|(?=${END})`))
if (before === undefined || after === undefined) throw new Error(`README.md has no ${BEGIN} … ${END}.`)
writeFileSync(readme, `${before}\n\n${readmeFigures(report, peers)}\n\n${after}`)
