import { countWithNoun } from '../../../base/common/text/countWithNoun';
import { pause } from '../../../base/common/async';
import type { ProposedEdits } from '../languageEditPort';
import type { FilePosition, Place } from '../languagePort';
import { filterAccessiblePlaces } from '../placeList';
import { displayPath } from '../text/displayPath';
import { waitUntilProjectLoaded } from '../calls/projectLoading';
import { findTextMatches } from '../search/textMatches';
import { ToolError } from '../toolError';
import type { ToolPorts } from '../toolPorts';

/** Pauses before the language server is asked again. */
const retryDelaysMs = [500, 1_000, 2_000];
const maxNamedFiles = 10;
/** Limit of proposals from a language server that does not say whether it has read the project. Some servers never do. */
const maxLoadChecks = 3;
/** Limit of files that a refusal names. */
const maxUnchangedFiles = 50;
/** Limit of lines in a search for the name. */
const maxFoundLines = 2_000;

type RenamePorts = Pick<ToolPorts, 'clock' | 'editor' | 'language' | 'languageEdits' | 'search'>;

interface RenameRequest {
  readonly name: string;
  readonly newName: string;
  /** Resolved paths of files that contain the name, but according to the caller do not use the symbol. */
  readonly unchangedFiles: ReadonlySet<string>;
}

interface ProposedRename {
  readonly proposed: readonly ProposedEdits[];
  /** Sentences about files that use the symbol and are not changed. */
  readonly remarks: readonly string[];
}

interface CompleteRename extends ProposedRename {
  /** What the user must know before allowing the rename. */
  readonly warning?: string;
}

/**
 * Returns the edits of a rename of `name`. A language server that is still reading the project proposes edits for open files
 * only. If it does not say that it has read the project, its edits are returned only if they change every file with the
 * name, except for `unchangedFiles`. Otherwise it is asked again, up to `maxLoadChecks` times.
 * @throws ToolError if the last edits would still leave other files with the name unchanged
 */
export async function requestCompleteRename(
  at: FilePosition,
  { name, newName, unchangedFiles }: RenameRequest,
  ports: RenamePorts,
  signal: AbortSignal,
): Promise<CompleteRename> {
  for (let check = 1; ; check++) {
    const isLoaded = await waitUntilProjectLoaded(at, ports, signal);
    const { proposed, remarks } = await requestGrowingRename(at, newName, ports, signal);
    if (isLoaded || proposed.length === 0) return { proposed, remarks };
    const unchanged = await unchangedFilesWith(name, at, proposed, ports, signal);
    const unexpected = unchanged?.filter((path) => !unchangedFiles.has(path));
    if (unchanged && unexpected?.length === 0) {
      const uncertain = { proposed, remarks: [...remarks, uncertainty(name, unchanged, ports)] };
      return unchanged.length === 0 ? uncertain : { ...uncertain, warning: warningOf(name, unchanged, ports) };
    }
    if (check === maxLoadChecks) throw new ToolError(refusal(name, unexpected, ports));
  }
}

/**
 * Asks again while files with references have no edits, and the proposal grows. A file can use a symbol without its name,
 * for example by a default import, so such files remain unchanged and are named.
 */
async function requestGrowingRename(
  at: FilePosition,
  newName: string,
  ports: RenamePorts,
  signal: AbortSignal,
): Promise<ProposedRename> {
  let proposed = await ports.languageEdits.renameEdits(at, newName, signal);
  if (proposed.length === 0) return { proposed, remarks: [] };
  let unchanged = await unchangedReferences(at, proposed, ports, signal);
  let sameCount = 0;
  for (const delayMs of retryDelaysMs) {
    if (unchanged.length === 0 || sameCount === 2) break;
    await pause(ports.clock, delayMs, signal);
    const fileCount = proposed.length;
    proposed = await ports.languageEdits.renameEdits(at, newName, signal);
    unchanged = await unchangedReferences(at, proposed, ports, signal);
    sameCount = proposed.length === fileCount ? sameCount + 1 : 0;
  }
  return { proposed, remarks: await remarksOn(unchanged, at, ports, signal) };
}

/** Returns none if the language server does not provide references. */
async function unchangedReferences(
  at: FilePosition,
  proposed: readonly ProposedEdits[],
  { language }: Pick<ToolPorts, 'language'>,
  signal: AbortSignal,
): Promise<readonly Place[]> {
  const changed = new Set(proposed.map(({ path }) => path));
  try {
    return (await language.references(at, signal)).filter(({ path }) => !changed.has(path));
  } catch {
    signal.throwIfAborted();
    return [];
  }
}

/** Returns the visible files with the name that would stay unchanged. Undefined if they are not all known. */
async function unchangedFilesWith(
  name: string,
  { path: anchor }: FilePosition,
  proposed: readonly ProposedEdits[],
  ports: RenamePorts,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  if (name === '') return undefined;
  const changed = new Set(proposed.filter(({ edits }) => edits.length > 0).map(({ path }) => path));
  const query = { pattern: name, isRegex: false, isCaseSensitive: true, isWholeWord: true };
  try {
    const found = await findTextMatches(query, { anchor, limit: maxFoundLines }, ports, signal);
    const paths = found.files.map(({ path }) => path);
    // A search that does not find the symbol itself may not find its uses either.
    const isComplete = !found.isLimitReached && !found.hasTimedOut && paths.includes(anchor);
    return isComplete ? paths.filter((path) => !changed.has(path)) : undefined;
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}

const notRead = 'The language server did not say whether it has read the whole project';

function uncertainty(name: string, unchanged: readonly string[], ports: Pick<ToolPorts, 'editor'>): string {
  if (unchanged.length === 0) return `${notRead}, but every file with the word \`${name}\` is changed.`;
  return `${notRead}. Nothing is changed in ${otherFilesWith(name, unchanged, ports)}.`;
}

function warningOf(name: string, unchanged: readonly string[], ports: Pick<ToolPorts, 'editor'>): string {
  return `VS Code may still be loading the project: nothing is changed in ${otherFilesWith(name, unchanged, ports)}.`;
}

function otherFilesWith(name: string, paths: readonly string[], { editor }: Pick<ToolPorts, 'editor'>): string {
  return `${countWithNoun(paths.length, 'other file')} with the word \`${name}\`: ${namesOf(paths, editor)}`;
}

/** Error message for the model. `unexpected` is undefined if the files with the name are not all known. */
function refusal(
  name: string,
  unexpected: readonly string[] | undefined,
  { editor }: Pick<ToolPorts, 'editor'>,
): string {
  const head = `Nothing was renamed. ${notRead}`;
  const retry = 'It may still be loading: try again in a minute.';
  if (!unexpected) return `${head}, and a search could not show that no other file uses the symbol. ${retry}`;
  const rows = unexpected.slice(0, maxUnchangedFiles).map((path) => `  ${displayPath(path, editor)}`);
  const isTooMany = unexpected.length > maxUnchangedFiles;
  return [
    `${head}, and would change nothing in ${countWithNoun(unexpected.length, 'file')} with the word \`${name}\`:`,
    ...rows,
    ...(isTooMany ? [`  … ${unexpected.length - maxUnchangedFiles} more`] : []),
    isTooMany
      ? retry
      : `${retry} If this stays so, read these files. Those that do not use the symbol can be named in unchanged_files.`,
  ].join('\n');
}

function namesOf(paths: readonly string[], editor: ToolPorts['editor']): string {
  const names = paths.slice(0, maxNamedFiles).map((path) => displayPath(path, editor));
  const more = paths.length > names.length ? `, and ${paths.length - names.length} more` : '';
  return `${names.join(', ')}${more}`;
}

async function remarksOn(
  unchanged: readonly Place[],
  at: FilePosition,
  { editor }: Pick<ToolPorts, 'editor'>,
  signal: AbortSignal,
): Promise<string[]> {
  const { places } = await filterAccessiblePlaces(unchanged, at.path, { editor }, signal);
  const paths = [...new Set(places.map(({ path }) => path))];
  if (paths.length === 0) return [];
  return [
    `${countWithNoun(paths.length, 'file has', 'files have')} references but no changes. Check for other names of the symbol there: ${namesOf(paths, editor)}.`,
  ];
}
