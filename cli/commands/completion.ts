import { Argument, type Command } from 'commander'
import { examples } from '../help.ts'

export function completionCommand(program: Command): void {
  const command = program
    .command('completion')
    .addArgument(new Argument('<shell>', 'which one').choices(['bash', 'zsh', 'fish']))
    .description('a script that completes commands and options on Tab')
    .action(async (shell) => (await import('../completion.ts')).completionCommand(program, shell))
  examples(
    command,
    'completion bash >> ~/.bashrc',
    'completion zsh >> ~/.zshrc',
    'completion fish > ~/.config/fish/conf.d/pergola.fish',
  )
}
