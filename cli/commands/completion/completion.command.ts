import tab from '@bomb.sh/tab/commander'
import type { Command } from 'commander'
import { examples } from '../../help.ts'

const SHORT_FORM: Record<string, string> = {
  bash: 'cli() { npx cli "$@"; }',
  zsh: 'cli() { npx cli "$@"; }',
  fish: 'function cli; npx cli $argv; end',
  powershell: 'function cli { npx cli @args }',
}

/** Adds `completion`, and the hidden command `complete` that the scripts call. Declare it after all other commands. */
export function completionCommand(program: Command): void {
  tab(program, { completionCommandName: 'completion' })
  const command = program.commands.find((one) => one.name() === 'completion')!
  const { log } = console
  command
    .description('print a script that makes `cli` short for `npx cli` and completes it on Tab')
    // The shell chooses the completion by the first word of a line, which would be npx.
    .hook('preAction', (_, { processedArgs }) => {
      console.log(SHORT_FORM[processedArgs[0] as string])
      // A second load, such as after an upgrade, would assign the constants again.
      console.log = (script: string) => log(script.replaceAll(/^readonly /gm, ''))
    })
  examples(
    command,
    'completion bash >> ~/.bashrc',
    'completion zsh >> ~/.zshrc',
    'completion fish > ~/.config/fish/conf.d/pergola.fish',
  )
}
