import { DraftAttachment, type Draft, type MentionRow } from '../chatView';

/** Facts about the workspace when a conversation begins. */
export interface WorkspaceFacts {
  /** The problems that VS Code shows, as an attachment, if there are any. */
  readonly problems: MentionRow | undefined;
  /** The uncommitted changes, as an attachment, if there are any. */
  readonly changes: MentionRow | undefined;
  /** The file in the active editor, as an attachment. */
  readonly file: MentionRow | undefined;
  readonly hasTests: boolean;
}

const starterCount = 3;

/** Prompts that are useful in this workspace, the most urgent first. A click sends one, unless it is to be completed. */
export function workspaceStarters({ changes, file, hasTests, problems }: WorkspaceFacts): Draft[] {
  const starters: Draft[] = [
    ...(problems ? [startWith('Fix the problems', problems)] : []),
    ...(changes ? [startWith('Review my uncommitted changes', changes)] : []),
    ...(file && hasTests && !isTest(file.title) ? [startWith(`Write tests for ${file.title}`, file)] : []),
    ...(file ? [startWith(`Explain ${file.title}`, file)] : []),
    ...(hasTests ? [startWith('Run the tests and fix what fails')] : []),
    startWith('Explain this project'),
    startWith('Find a bug in this project'),
    startWith('Suggest what to improve in this project'),
  ];
  return starters.slice(0, starterCount);
}

function startWith(text: string, ...rows: readonly MentionRow[]): Draft {
  // `detail` is only shown in the list of mentions.
  return { text, attachments: rows.map((row) => DraftAttachment.parse(row)) };
}

function isTest(name: string): boolean {
  return /(?:^|[._-])(?:test|spec)s?[._-]|_test\./i.test(name);
}
