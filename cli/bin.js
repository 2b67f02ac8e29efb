#!/usr/bin/env node
import './check-node.js'

await import('./main.ts')
