import { EditorError, type WriteOptions } from '../../editor/common/editorPort';

type Answer = 'ask' | 'allow' | 'deny';

/** What the user's settings say about Amp's own requests. What is absent is done without asking. */
export interface AmpPolicy {
  readonly read?: Answer;
  readonly edit?: Answer;
}

/** The id of Amp in the setting `backline.permissions`. */
export const ampPolicyId = 'amp';

/**
 * Nobody can be asked about reading: a client waits for at most 2 s, and what it reads meanwhile is no change to be shown.
 * So `ask` refuses as well.
 * @throws EditorError `denied`
 */
export function checkRead(path: string, { read = 'allow' }: AmpPolicy): void {
  if (read === 'allow') return;
  const why =
    read === 'deny'
      ? 'The user does not let Amp read files through VS Code.'
      : 'The user wants to be asked before files are read, and Amp does not wait for an answer.';
  throw new EditorError('denied', `${path} was not read. ${why} ${advice('read')}`);
}

/**
 * How a file may be written: after a question when the policy says so.
 * @throws EditorError `denied`
 */
export function editOptions(path: string, { edit = 'allow' }: AmpPolicy): Pick<WriteOptions, 'askBecause'> {
  switch (edit) {
    case 'allow':
      return {};
    case 'ask':
      return { askBecause: 'your setting backline.permissions asks before each edit of Amp' };
    case 'deny': {
      const why = 'The user does not let Amp edit files through VS Code. Do not make this change in another way.';
      throw new EditorError('denied', `${path} was not changed. ${why} ${advice('edit')}`);
    }
  }
}

function advice(kind: keyof AmpPolicy): string {
  return `The user can allow it by “${kind}” of “${ampPolicyId}” in the setting backline.permissions.`;
}
