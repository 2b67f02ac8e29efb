import type { Command } from 'commander'
import { examples } from '../../help.ts'
import { SHARD } from '../../shard-option.ts'

export function whyCommand(program: Command): void {
  const command = program
    .command('why')
    .description('explain why a policy allows (exit code 0) or denies (1) an action of a user on a record')
    .argument('<user>', 'the email address or the id of a user, or guest')
    .argument('<action>', 'an action of the policy, such as update')
    .argument('<resource>', 'the name of a resource, such as User')
    .argument('[id]', 'the id of the record; leave it out for create')
    .option(...SHARD)
    .option('--json', 'print JSON')
    .action(async (...[user, action, resource, id, options]) =>
      (await import('./why.ts')).whyCommand({ user, action, resource, id, ...options }),
    )
  examples(command, 'why alice@example.test update User 1', 'why guest show User 1', 'why 2 create User')
}
