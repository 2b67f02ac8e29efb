import { gitIfInstalled, gitProblem } from '../../project/git.ts'
import { type Finding, note, ok } from './finding.ts'

/** Checks that git is new enough for an upgrade. The server runs without git. */
export function checkGit(printed = gitIfInstalled(['version'])): Finding {
  const problem = printed === null ? 'git is not installed: an upgrade requires it.' : gitProblem(printed)
  return problem === null
    ? ok('git', printed ?? '')
    : note('git', problem, 'Install git 2.38 or newer, from https://git-scm.com.')
}
