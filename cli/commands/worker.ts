import type { Command } from 'commander'

export function workerCommand(_program: Command): void {}
