import type { Command } from 'commander'
import { bashScript } from './completion/bash.ts'
import { fishScript } from './completion/fish.ts'
import { wordsAfter } from './completion/words.ts'
import { zshScript } from './completion/zsh.ts'

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript }

export function completionCommand(program: Command, shell: keyof typeof SCRIPTS): void {
  console.log(SCRIPTS[shell](wordsAfter(program)))
}
