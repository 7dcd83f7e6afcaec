import { findIgnored } from '../git/ignoreRules';
import { GitFailure, type PrivateRepository } from '../git/privateRepository';
import { isValidUtf8Name } from '../../common/nameList';

/** Maximum number of ignored files that are stored with a checkpoint. */
const maxIgnored = 200_000;

/**
 * Lists what is ignored now, whichever rule it is. A folder that a rule ignores stands for its contents, so that the
 * list is short. Undefined if there are too many.
 */
export async function listIgnored(
  repository: PrivateRepository,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  const args = ['ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--directory'];
  try {
    const found = (await repository.runForItems({ args, signal })).filter(isValidUtf8Name);
    if (found.length > maxIgnored) return undefined;
    const folders = found.filter((name) => name.endsWith('/'));
    if (folders.length === 0) return found;
    // Git also lists folders that only happen to contain nothing but ignored files. New files in them are not ignored.
    const ignored = await findIgnored(repository, folders, undefined, signal);
    return found.filter((name) => !name.endsWith('/') || ignored.has(name));
  } catch (error) {
    if (error instanceof GitFailure) return undefined;
    throw error;
  }
}
