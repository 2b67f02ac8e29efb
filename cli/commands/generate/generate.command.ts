import type { Command } from 'commander'
import { examples } from '../../help.ts'

export function generateCommand(program: Command): void {
  const generate = program.command('generate').alias('g').description('create a file to edit')
  examples(
    generate,
    'generate migration add_subtitle_to_posts',
    'generate task recount-posts',
    'generate job send-welcome',
    'generate mail password-reset',
  )

  const migration = generate
    .command('migration')
    .argument('<name>', 'the name, like add_subtitle_to_posts')
    .description('create an empty migration, to run after all existing ones')
    .action(async (name) => (await import('./migration.ts')).generateMigration(name))
  examples(migration, 'generate migration add_subtitle_to_posts')

  const policy = generate
    .command('policy')
    .argument('<model>', 'a resource without a policy, like document')
    .description('create a policy and a scope for a resource')
    .action(async (model) => (await import('./policy.ts')).generatePolicy(model))
  examples(policy, 'generate policy document')

  const tenant = generate
    .command('tenant')
    .argument('<model>', 'what users belong to, like account')
    .description('create the table of the tenants and tenantOf, for scaffold --tenant')
    .action(async (model) => (await import('./tenant.ts')).generateTenant(model))
  examples(tenant, 'generate tenant account')

  const task = generate
    .command('task')
    .argument('<name>', 'the name, like recount-posts')
    .description('create a task, and add it to app/tasks/tasks.ts')
    .action(async (name) => (await import('./task.ts')).generateTask(name))
  examples(task, 'generate task recount-posts')

  const job = generate
    .command('job')
    .argument('<name>', 'the name, like send-welcome')
    .description('create a job with a test, and add it to app/jobs/jobs.ts')
    .action(async (name) => (await import('./job.ts')).generateJob(name))
  examples(job, 'generate job send-welcome')

  const mail = generate
    .command('mail')
    .argument('<name>', 'the name, like password-reset')
    .description('create a mail with its templates and a test, and add it to app/mails/mails.ts')
    .action(async (name) => (await import('./mail.ts')).generateMail(name))
  examples(mail, 'generate mail password-reset')
}
