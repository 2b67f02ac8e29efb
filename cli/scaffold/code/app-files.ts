import { controllerData } from './controller-code.ts'
import { factoryData } from './factory-code.ts'
import { migrationData } from './migration-code.ts'
import type { FilesOptions, GeneratedFile, Model } from '../model.ts'
import { policyData } from './policy-code.ts'
import { rendered } from './render-template.ts'
import { schemaData } from './schema-code.ts'
import { seedData } from './seed-code.ts'

/** Returns the files in `app/` without the tests: the resource, its policy, repository, controller, factory, seed and migration. */
export function appFiles(model: Model, { migration }: FilesOptions): Promise<GeneratedFile[]> {
  const { folder, file } = model.names
  return rendered([
    [`app/${folder}/${file}.ts`, 'post.ts', schemaData(model)],
    [`app/${folder}/${file}.policy.ts`, 'post.policy.ts', policyData(model)],
    [`app/${folder}/${file}.repository.ts`, 'post.repository.ts', repositoryData(model)],
    [`app/${folder}/${file}.controller.ts`, 'post.controller.ts', controllerData(model)],
    [`app/${folder}/${file}.factory.ts`, 'post.factory.ts', factoryData(model)],
    [`app/${folder}/${file}.seed.ts`, 'post.seed.ts', seedData(model)],
    [`app/db/migrations/${migration}.ts`, 'migration.ts', migrationData(model)],
  ])
}

const repositoryData = (model: Model) => ({ ...model, orderedBy: model.cursor ?? 'created_at' })
