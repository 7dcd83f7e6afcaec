import { toVisibleText } from '../../base/common/text/visibleText';

/** Kinds of content in a workspace that can run on this machine or receive text from it. */
export type ConsentSubjectKind =
  'agent' | 'providerModule' | 'providerAddress' | 'webCode' | 'mcpServer' | 'serverAddress';

/** The place in which the workspace defines a subject. */
export interface ConsentSubjectSource {
  /** Absolute path of the file. Undefined if the subject is not defined in a file on this disk. */
  readonly file: string | undefined;
  /** Keys that lead to the entry, for example the name of a setting and the name in it. */
  readonly keys: readonly string[];
}

/** One line of information that the user needs before answering. */
export interface ConsentFact {
  readonly label: string;
  readonly value: string;
  /** Set if the fact affects what runs or who receives data, and could easily be overlooked. */
  readonly warning?: string;
}

export interface ConsentSubject {
  readonly kind: ConsentSubjectKind;
  readonly name: string;
  /** The ID of the subject in its feature, if it differs from the name. */
  readonly id?: string;
  readonly source: ConsentSubjectSource;
  readonly facts: readonly ConsentFact[];
  /** SHA-256 (hex) of everything that determines what runs. Changed content needs a new consent. */
  readonly hash: string;
  /**
   * Reads the subject again. Undefined if it no longer exists. Absent if the hash only covers the entry. Rejects if the
   * subject cannot be read.
   */
  readonly reload?: () => Promise<ConsentSubject | undefined>;
}

/** What a question is about. */
export interface AskedSubject {
  readonly subject: ConsentSubject;
  /** Whether the user has answered for an earlier content. */
  readonly hasChanged: boolean;
}

/** Returns a text that identifies the entry, whatever its content is. */
export function subjectIdentity({ id, kind, name, source }: ConsentSubject): string {
  return JSON.stringify([kind, source.file ?? '', id ?? name]);
}

const nouns: Record<ConsentSubjectKind, string> = {
  agent: 'agent',
  providerModule: 'context provider',
  providerAddress: 'context provider',
  webCode: 'context provider',
  mcpServer: 'MCP server',
  serverAddress: 'server',
};

/** Describes a subject, for example `agent "Mine"`. */
export function describeSubject({ kind, name }: Pick<ConsentSubject, 'kind' | 'name'>): string {
  return `${nouns[kind]} "${shown(name, 80)}"`;
}

export function dialogQuestionOf(subject: ConsentSubject): string {
  return questionAbout(subject.kind, describeSubject(subject));
}

/** Asks about several subjects of one kind. */
export function groupQuestionOf(kind: ConsentSubjectKind, count: number): string {
  return questionAbout(kind, `${count} ${nouns[kind]}s`);
}

function questionAbout(kind: ConsentSubjectKind, what: string): string {
  switch (kind) {
    case 'agent':
    case 'providerModule':
      return `Allow the ${what} from this workspace to run?`;
    case 'mcpServer':
      return `Allow agents to use the ${what} from this workspace?`;
    case 'providerAddress':
      return `Allow sending text to the ${what} from this workspace?`;
    case 'serverAddress':
      return `Allow connecting to the ${what} from this workspace?`;
    case 'webCode':
      return `Allow downloading code for the ${what} from this workspace?`;
  }
}

const consequences: Record<ConsentSubjectKind, string> = {
  agent: 'It runs with your rights: it can read and write files, run programs and use the network.',
  providerModule: 'It runs with your rights: it can read and write files, run programs and use the network.',
  mcpServer:
    'Available to agents in new conversations. A command runs with your rights. A URL receives the data that agents send.',
  providerAddress:
    'It receives the text of files that you open. If it offers mentions, it also receives what you type after @, queries from language models, the URI of the active file and the name of its repository.',
  serverAddress:
    'It receives a request now and then, your prompts to it, and the editor context that you send with them. It answers as an agent and can request changes and commands.',
  webCode:
    'The server at this URL receives a request. The downloaded code runs only after you review its hash and allow it.',
};

/** Limits of the dialog: displayed UTF-16 units, and lines. Longer entries must be read in the editor. */
const maxLabelLength = 80;
const maxValueLength = 400;
const maxFacts = 24;
const maxFileLength = 200;

/** Whether the dialog is too small for all facts, so that the user must read the file. */
export function isTooLongForDialog({ facts }: ConsentSubject): boolean {
  return (
    facts.length > maxFacts ||
    facts.some(({ label, value }) => isCut(label, maxLabelLength) || isCut(value, maxValueLength))
  );
}

const tooLongToShow = 'This entry is too long to show here. Select Show to review it in the file, then allow it.';
const tooLongToAllow =
  'This entry is too long to show here and is not in a file, so it can’t be allowed. Shorten the entry.';

/** Returns the dialog's answers besides denial. Content can only be allowed there if shown completely. */
export function dialogChoicesFor(subject: ConsentSubject): { readonly canAllow: boolean; readonly canShow: boolean } {
  return { canAllow: !isTooLongForDialog(subject), canShow: subject.source.file !== undefined };
}

/** Whether one dialog can show these subjects completely. */
export function fitsOneDialog(subjects: readonly ConsentSubject[]): boolean {
  const lines = subjects.flatMap(({ facts }) => facts).length + subjects.length;
  const isSmall = (subject: ConsentSubject): boolean =>
    !isTooLongForDialog(subject) && !isCut(subject.name, maxLabelLength);
  return lines <= maxFacts && subjects.every(isSmall);
}

function factLines(facts: readonly ConsentFact[]): string[] {
  return facts.map(({ label, value, warning }) => {
    const line = `${shown(label, maxLabelLength)}: ${shown(value, maxValueLength)}`;
    return warning === undefined ? line : `⚠ ${line} (${warning})`;
  });
}

/** Returns all of what several subjects of one kind run or receive. */
export function groupDetailsOf(asked: readonly AskedSubject[]): string {
  const files = new Set(asked.map(({ subject }) => subject.source.file));
  const isOneFile = files.size === 1 && !files.has(undefined);
  const parts = asked.map(({ subject: { facts, name, source }, hasChanged }) => {
    const heading = `"${shown(name, maxLabelLength)}"${hasChanged ? ' (has changed since your last answer)' : ''}`;
    return [heading, ...factLines(facts), ...(isOneFile ? [] : [`From ${describeSource(source)}`])].join('\n');
  });
  const kinds = new Set(asked.map(({ subject }) => subject.kind));
  return [
    ...parts,
    ...(isOneFile ? [`From ${shown([...files].join(), maxFileLength)}`] : []),
    ...[...kinds].map((kind) => `${consequences[kind]} ${whenAgain(kind)}`),
  ].join('\n\n');
}

export function dialogDetailsOf({ hasChanged, subject }: AskedSubject): string {
  const { facts, source } = subject;
  const { canAllow, canShow } = dialogChoicesFor(subject);
  const lines = factLines(facts.slice(0, maxFacts));
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
  return kind === 'providerAddress' || kind === 'webCode' || kind === 'serverAddress'
    ? 'You’ll be asked again if the entry changes.'
    : 'You’ll be asked again if the entry or a file named above changes.';
}

/** Describes the source of a subject, for example `.vscode/settings.json, backline.acp.agents → Mine`. */
export function describeSource({ file, keys }: ConsentSubjectSource): string {
  const where = keys.map((key) => shown(key, 80)).join(' → ');
  return file === undefined ? where : `${shown(file, maxFileLength)}, ${where}`;
}

/** Whether a text is too long to be shown completely. Hidden characters are shown as code points, which are longer. */
function isCut(text: string, maxLength: number): boolean {
  return toVisibleText(text).length > maxLength;
}

function shown(text: string, maxLength: number): string {
  const line = toVisibleText(text);
  if (line.length <= maxLength) return line;
  return `${line.slice(0, maxLength)}… (${line.length - maxLength} more characters)`;
}
