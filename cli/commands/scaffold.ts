import type { Command } from 'commander'

export function scaffoldCommand(_program: Command): void {}
