import { toVisibleText } from '../../base/common/visibleText';

/** What a workspace can define that runs on this machine or receives text from it. */
export type ConsentSubjectKind = 'agent' | 'providerModule' | 'providerAddress' | 'webCode' | 'mcpServer';

/** Where the workspace defines a subject. */
export interface ConsentSubjectSource {
  /** Absolute path; undefined if it is not in a file on this disk. */
  readonly file: string | undefined;
  /** Path of keys to the entry, for example a setting and the name in it. */
  readonly keys: readonly string[];
}

/** One line of what the user must know before answering. */
export interface ConsentFact {
  readonly label: string;
  readonly value: string;
  /** Set if the fact changes what runs or who receives data in a way that is easy to miss. */
  readonly warning?: string;
}

export interface ConsentSubject {
  readonly kind: ConsentSubjectKind;
  readonly name: string;
  /** The ID that the subject's feature uses, if it differs from the name. */
  readonly id?: string;
  readonly source: ConsentSubjectSource;
  readonly facts: readonly ConsentFact[];
  /** SHA-256 (hex) of everything that decides what runs. Changed content needs a new consent. */
  readonly hash: string;
  /**
   * Reads the subject again; undefined if it no longer exists. Absent if the hash covers only the entry. Rejects if it
   * cannot be read.
   */
  readonly reload?: () => Promise<ConsentSubject | undefined>;
}

/** Identifies the entry, regardless of its content. */
export function subjectIdentity({ id, kind, name, source }: ConsentSubject): string {
  return JSON.stringify([kind, source.file ?? '', id ?? name]);
}

const nouns: Record<ConsentSubjectKind, string> = {
  agent: 'agent',
  providerModule: 'context provider',
  providerAddress: 'context provider',
  webCode: 'context provider',
  mcpServer: 'MCP server',
};

/** For example `agent "Mine"`. */
export function describeSubject({ kind, name }: Pick<ConsentSubject, 'kind' | 'name'>): string {
  return `${nouns[kind]} "${shown(name, 80)}"`;
}

export function dialogQuestionOf(subject: ConsentSubject): string {
  const what = describeSubject(subject);
  switch (subject.kind) {
    case 'agent':
    case 'providerModule':
      return `Allow the ${what} from this workspace to run?`;
    case 'mcpServer':
      return `Allow agents to use the ${what} from this workspace?`;
    case 'providerAddress':
      return `Allow sending text to the ${what} from this workspace?`;
    case 'webCode':
      return `Allow downloading code for the ${what} from this workspace?`;
  }
}

const consequences: Record<ConsentSubjectKind, string> = {
  agent: 'It runs with your rights: it can read and write files, run programs and use the network.',
  providerModule: 'It runs with your rights: it can read and write files, run programs and use the network.',
  mcpServer:
    'Agents can use it in new conversations. A command runs with your rights. A URL receives what agents send.',
  providerAddress:
    'It receives the text of files that you open. If it offers mentions, it also receives what you type after @, the queries of language models, the address of the active file and the name of its repository.',
  webCode:
    'The server at this URL receives a request. The downloaded code runs only after you review its hash and allow it.',
};

/**
 * Limits of the dialog: lengths in UTF-16 units as displayed, and numbers of lines. The user reads longer entries in
 * the editor.
 */
const maxLabelLength = 80;
const maxValueLength = 400;
const maxFacts = 24;

/** Whether the dialog cannot show everything, so that the user must read the file. */
export function isTooLongForDialog({ facts }: ConsentSubject): boolean {
  return (
    facts.length > maxFacts ||
    facts.some(({ label, value }) => isCut(label, maxLabelLength) || isCut(value, maxValueLength))
  );
}

const tooLongToShow = 'This entry is too long to show here. Select Show to review it in the file, then allow it.';
const tooLongToAllow =
  'This entry is too long to show here and is not in a file, so it can’t be allowed. Shorten the entry.';

/** Which answers the dialog offers besides denial. Only what can be shown completely can be allowed there. */
export function dialogChoicesFor(subject: ConsentSubject): { readonly canAllow: boolean; readonly canShow: boolean } {
  return { canAllow: !isTooLongForDialog(subject), canShow: subject.source.file !== undefined };
}

export function dialogDetailsOf(subject: ConsentSubject, hasChanged: boolean): string {
  const { facts, source } = subject;
  const { canAllow, canShow } = dialogChoicesFor(subject);
  const lines = facts.slice(0, maxFacts).map(({ label, value, warning }) => {
    const line = `${shown(label, maxLabelLength)}: ${shown(value, maxValueLength)}`;
    return warning === undefined ? line : `⚠ ${line} (${warning})`;
  });
  const left = facts.length - lines.length;
  return [
    ...(hasChanged ? ['It has changed since your last answer.'] : []),
    lines.join('\n') + (left > 0 ? `\n… and ${left} more.` : ''),
    ...(canAllow ? [] : [canShow ? tooLongToShow : tooLongToAllow]),
    `From ${describeSource(source)}`,
    `${consequences[subject.kind]} ${whenAgain(subject.kind)}`,
  ].join('\n\n');
}

function whenAgain(kind: ConsentSubjectKind): string {
  return kind === 'providerAddress' || kind === 'webCode'
    ? 'You’ll be asked again if the entry changes.'
    : 'You’ll be asked again if the entry or a file named above changes.';
}

/** For example `.vscode/settings.json, backline.acp.agents → Mine`. */
export function describeSource({ file, keys }: ConsentSubjectSource): string {
  const where = keys.map((key) => shown(key, 80)).join(' → ');
  return file === undefined ? where : `${shown(file, 200)}, ${where}`;
}

/** Whether the displayed text is too long. Hidden characters are displayed as code points, which are longer. */
function isCut(text: string, maxLength: number): boolean {
  return toVisibleText(text).length > maxLength;
}

function shown(text: string, maxLength: number): string {
  const line = toVisibleText(text);
  if (line.length <= maxLength) return line;
  return `${line.slice(0, maxLength)}… (${line.length - maxLength} more characters)`;
}
