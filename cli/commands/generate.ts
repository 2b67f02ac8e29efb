import type { Command } from 'commander'
import { examples } from '../help.ts'

export function generateCommand(program: Command): void {
  const generate = program.command('generate').alias('g').description('one file to go on from')
  examples(generate, 'generate migration add_subtitle_to_posts', 'generate task recount-posts')

  const migration = generate
    .command('migration')
    .argument('<name>', 'what it does, like add_subtitle_to_posts')
    .description('a migration that is still to be written, after all that are there')
    .action(async (name) => (await import('../generate/migration.ts')).generateMigration(name))
  examples(migration, 'generate migration add_subtitle_to_posts')

  const policy = generate
    .command('policy')
    .argument('<model>', 'a resource that has none, like document')
    .description('who may do what with a resource that has no policy yet')
    .action(async (model) => (await import('../generate/policy.ts')).generatePolicy(model))
  examples(policy, 'generate policy document')

  const task = generate
    .command('task')
    .argument('<name>', 'what it does, like recount-posts')
    .description('a task, and its line in app/tasks/tasks.ts')
    .action(async (name) => (await import('../generate/task.ts')).generateTask(name))
  examples(task, 'generate task recount-posts')
}
