import { prepareDatabases } from 'pergola/testing'
import type { TestProject } from 'vitest/node'
import { createTables } from './fixtures/tables.ts'

/** Creates a template database with the tables of the fixtures. Each test file copies it. */
export default (project: TestProject): Promise<() => Promise<void>> => prepareDatabases(project, createTables)
