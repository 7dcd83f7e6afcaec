import { findGitHead } from '../../../platform/vscode/git/gitRepository';
import type { ActiveAgent } from '../../common/unsaved/activeAgents';

/** The commit or branch that is checked out. Undefined if it is unknown. */
export type CheckedOut = string | undefined;

/** Returns what is checked out in the repository of a file. Never rejects. */
export async function readCheckedOut(path: string): Promise<CheckedOut> {
  return await findGitHead(path).catch(() => undefined);
}

/** Whether something else was checked out while no agent was running a tool call. Then the user has done it. */
export async function isCheckoutByUser(
  path: string,
  before: CheckedOut,
  writer: ActiveAgent | undefined,
): Promise<boolean> {
  if (before === undefined || writer?.isCalling !== false) return false;
  return (await findGitHead(path, true).catch(() => before)) !== before;
}
