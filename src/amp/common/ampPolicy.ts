import { EditorError, type WriteOptions } from '../../editor/common/editorPort';

type PolicyAnswer = 'ask' | 'allow' | 'deny';

/** The user's policy for Amp's own requests. Requests without an entry are allowed. */
export interface AmpPolicy {
  readonly read?: PolicyAnswer;
  readonly edit?: PolicyAnswer;
}

export const ampPolicyId = 'amp';

/**
 * Checks that the policy allows reading. Also refuses `ask`, because a client waits at most 2 s, which is too short to
 * ask the user. @throws EditorError `denied`
 */
export function assertReadAllowed(path: string, { read = 'allow' }: AmpPolicy): void {
  if (read === 'allow') return;
  const why =
    read === 'deny'
      ? 'The user does not let Amp read files through VS Code.'
      : 'The user wants to be asked before files are read, and Amp does not wait for an answer.';
  throw new EditorError('denied', `${path} was not read. ${why} ${advice('read')}`);
}

/** Returns the write options. With the policy `ask`, the editor asks the user. @throws EditorError `denied` */
export function writeOptionsOfPolicy(path: string, { edit = 'allow' }: AmpPolicy): Pick<WriteOptions, 'askBecause'> {
  switch (edit) {
    case 'allow':
      return {};
    case 'ask':
      return { askBecause: 'your setting backline.permissions asks before each edit by Amp' };
    case 'deny': {
      const why = 'The user does not let Amp edit files through VS Code. Do not make this change in another way.';
      throw new EditorError('denied', `${path} was not changed. ${why} ${advice('edit')}`);
    }
  }
}

function advice(kind: keyof AmpPolicy): string {
  return `The user can allow it with “${kind}” for “${ampPolicyId}” in the setting backline.permissions.`;
}
