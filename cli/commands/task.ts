import type { Command } from 'commander'

export function taskCommand(program: Command): void {
  const task = program.command('task').description('what is done now and then, by hand')

  task
    .command('grant-role')
    .description('give somebody who signed up a role, as for the first admin')
    .requiredOption('--email <address>', 'the address they sign in with')
    .requiredOption('--role <role>', 'the role, like admin')
    .action(async (given: { email: string; role: string }) =>
      (await import('../task.ts')).grantRoleCommand(given),
    )
}
