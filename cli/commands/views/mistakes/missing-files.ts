import type { ViewSource } from '../view-source.ts'
import type { Mistake } from './unbalanced.ts'

/** Returns the links to a file at the root, such as `/favicon.ico`, that does not exist. */
export const missingFiles = ({ source }: ViewSource, rootFiles: readonly string[]): Mistake[] =>
  [...source.matchAll(/\s(?:href|src)="\/([\w-]+\.\w+)"/g)]
    .filter(([, name = '']) => !rootFiles.includes(name))
    .map(({ 1: name, index }) => ({
      start: index + 1,
      message: `There is no file /${name} in public/root.`,
    }))
