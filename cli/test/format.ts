/**
 * Returns the arguments for prettier: it checks the format in CI, where `CI` is set, and otherwise formats the files and
 * prints their names, so that the tests of a developer don't fail for spaces.
 */
export const formatArguments = ({ CI }: NodeJS.ProcessEnv): string[] =>
  CI === undefined || CI === '' || CI === 'false' ? ['--write', '--list-different'] : ['--check']
