import type { Command } from 'commander'

export function destroyCommand(_program: Command): void {}
